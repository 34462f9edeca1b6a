// Resuming a session's queue: what the turn that it starts needs.
import { describe, expect, it } from "vitest";
import { resumeQueue } from "../../../src/session/rules/send.ts";
import { sessionStatuses } from "../../../src/session/rules/status.ts";
import {
  accepted,
  byMember,
  noRoom,
  now,
  refusalCode,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const command = { turnId: "turn-2", by: byMember() };
const pause = { reason: "failed", pausedAt: now - 5 } as const;

describe("a resume", () => {
  it.each([
    ["nothing waits", sessionState({ pause })],
    ["a turn runs", sessionState({ turn: turn("running"), upNext: waiting("a"), pause })],
  ])("that starts no turn, because %s, needs nothing", (_, state) => {
    const facts = sendFacts({ isBlockedOnBilling: true, ...noRoom(), isHeldByDeploy: true, sandbox: null });
    expect(accepted(resumeQueue(state, command, facts, now)).state.chat.pause).toBeNull();
  });

  it("is only for open sessions", () => {
    const refused = sessionStatuses.filter((status) => {
      const state = sessionState({ session: { status }, upNext: waiting("a"), pause });
      return refusalCode(resumeQueue(state, command, sendFacts(), now)) === "BAD_REQUEST";
    });
    expect(refused).toEqual(["backlog", "completed", "archived"]);
  });

  it.each([
    [{ isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
    [{ isHeldByDeploy: true, sandbox: null }, "DEPLOY_ACTIVE"],
    [{ ...noRoom(), sandbox: null }, "SANDBOX_LIMIT_REACHED"],
    [{ isHeldByDeploy: true, sandbox: "running" as const }, null],
    [{ sandbox: "starting" as const }, null],
  ])("that would start a turn, if %j: %s", (facts, code) => {
    const state = sessionState({ upNext: waiting("a"), pause });
    expect(refusalCode(resumeQueue(state, command, sendFacts(facts), now))).toBe(code);
  });
});
