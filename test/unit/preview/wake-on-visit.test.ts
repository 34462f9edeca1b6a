// A visit to a preview that does not respond, in every state of its sandbox (Part 1, "Health
// answer": `canRetainPreview`).
import { describe, expect, it } from "vitest";
import { failedStartHoldsMs, findUnreportedFailure, recordVisit } from "../../../src/preview/rules/wake-on-visit.ts";
import { refuse } from "../../../src/rules/refusal.ts";
import { absentSandbox, wake } from "../../../src/sandbox/rules/lifecycle.ts";
import { changedTo, command, sandbox as sandboxIn, statesBut } from "../../support/sandbox-state.ts";
import { accepted, now } from "../../support/session-state.ts";

const visited = (sandbox: ReturnType<typeof sandboxIn>) => accepted(recordVisit(sandbox, command, now));

describe("a visit", () => {
  it.each([
    ["paused", "starting"],
    ["absent", "starting"],
    ["creating", "starting"],
    ["resuming", "starting"],
    ["pausing", "starting"],
    ["running", "silent"],
    ["gone", "ended"],
  ] as const)("to a sandbox that is %s gets the state %s", (state, trouble) => {
    expect(visited(sandboxIn(state)).result).toBe(trouble);
  });

  it.each(["paused", "absent"] as const)("wakes a sandbox that is %s like any other wake", (state) => {
    const woken = accepted(wake(sandboxIn(state), command, now));
    expect(visited(sandboxIn(state))).toEqual({ ...woken, result: "starting" });
  });

  it("starts nothing in any other state", () => {
    for (const state of statesBut("paused", "absent")) {
      expect(visited(sandboxIn(state))).toMatchObject({ state: sandboxIn(state), effects: [] });
    }
  });

  it.each(["paused", "absent", "pausing"] as const)(
    "does not wake a sandbox that was created with that setting, while it is %s",
    (state) => {
      const kept = sandboxIn(state, { resumesOnVisit: false });
      expect(visited(kept)).toEqual({ state: kept, result: "paused", effects: [] });
    },
  );

  const failure = { refusal: refuse("SANDBOX_LIMIT_REACHED"), at: now - failedStartHoldsMs + 1, isCalledOff: false };

  it("right after a failed start gets the reason, and retries only later", () => {
    const state = sandboxIn("paused", { failure });
    expect(visited(state)).toEqual({ state, result: "unable", effects: [] });
    const later = { ...state, failure: { ...failure, at: now - failedStartHoldsMs } };
    expect(visited(later).result).toBe("starting");
  });

  it("right after a cancelled start retries immediately", () => {
    const state = sandboxIn("paused", { failure: { ...failure, isCalledOff: true } });
    expect(visited(state).result).toBe("starting");
  });
});

describe("the next preview read", () => {
  const broken = { refusal: refuse("SERVICE_UNAVAILABLE"), at: now, isCalledOff: false };
  it.each([
    ["that has just failed to come back", "paused", broken, broken.refusal],
    ["that failed to come back some time ago", "paused", { ...broken, at: now - failedStartHoldsMs }, null],
    ["that found no room", "paused", { ...broken, refusal: refuse("SANDBOX_LIMIT_REACHED") }, null],
    ["whose start somebody called off", "paused", { ...broken, isCalledOff: true }, null],
    ["that could not be created, as who asked was told", "absent", broken, null],
  ] as const)("of a sandbox %s", (_, state, failure, told) => {
    expect(findUnreportedFailure(sandboxIn(state, { failure }), now)).toEqual(told);
  });
});

describe("the setting that visits wake a sandbox", () => {
  it("is fixed when it is created", () => {
    const created = accepted(wake(absentSandbox, { ...command, resumesOnVisit: false }, now)).state;
    expect(created.resumesOnVisit).toBe(false);
    const again = accepted(wake(changedTo(created, { state: "paused" }), command, now)).state;
    expect(again.resumesOnVisit).toBe(false);
  });
});
