import { describe, expect, it } from "vitest";
import { recordLoss } from "../../../src/sandbox/rules/lifecycle.ts";
import { recordPaused, stopGracefully } from "../../../src/sandbox/rules/pause.ts";
import { isResetting, recordResetEnd, reset, resetDeadlineMs } from "../../../src/sandbox/rules/reset.ts";
import { holder, sandbox, statesBut } from "../../support/sandbox-state.ts";
import { accepted, now, refusalCode } from "../../support/session-state.ts";

const running = sandbox("running", { holders: [holder("turn-1")] });
const resetting = accepted(reset(running, now)).state;

describe("a reset", () => {
  it("of a running sandbox restarts only its services, and counts as a use", () => {
    expect(reset(running, now)).toEqual({
      state: { ...running, resettingSince: now, lastUsedAt: now, lastLookedAt: now },
      result: null,
      effects: [{ type: "restart-services", id: 2 }],
    });
  });

  it("does not queue another one", () => {
    expect(reset(resetting, now + 1)).toEqual({ state: resetting, result: null, effects: [] });
  });

  it.each(["creating", "resuming"] as const)("is refused for now in a sandbox that is %s", (state) => {
    expect(refusalCode(reset(sandbox(state), now))).toBe("SANDBOX_STARTING");
  });

  it.each(statesBut("running", "creating", "resuming"))("is refused in a sandbox that is %s", (state) => {
    expect(refusalCode(reset(sandbox(state), now))).toBe("BAD_REQUEST");
  });

  it("is done when the services have been restarted, and can be requested again", () => {
    const over = accepted(recordResetEnd(resetting, 2)).state;
    expect(over).toEqual({ ...running, lastUsedAt: now, lastLookedAt: now });
    expect(accepted(reset(over, now)).effects).toHaveLength(1);
  });

  it("of an older generation ends nothing", () => {
    expect(accepted(recordResetEnd(resetting, 1)).state).toBe(resetting);
  });

  it("that does not end is over after a minute", () => {
    expect(isResetting(resetting, now + resetDeadlineMs - 1)).toBe(true);
    expect(isResetting(resetting, now + resetDeadlineMs)).toBe(false);
    expect(accepted(reset(resetting, now + resetDeadlineMs)).effects).toHaveLength(1);
  });

  it("is dropped with its sandbox", () => {
    expect(accepted(recordLoss(resetting, 2)).state).not.toHaveProperty("resettingSince");
    const stopped = accepted(stopGracefully(resetting, now)).state;
    expect(accepted(recordPaused(stopped, 2)).state).not.toHaveProperty("resettingSince");
  });
});
