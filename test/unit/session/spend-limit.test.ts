// Spend limits: nothing starts over a limit on the workspace's money, work on a subscription
// continues, and only people set limits.
import { describe, expect, it, test } from "vitest";
import { resumeQueue, type SendFacts, send } from "../../../src/session/rules/send.ts";
import { checkLimitChange } from "../../../src/session/rules/spend-limit.ts";
import { findSpentReason, noSpend, withWork } from "../../../src/usage/rules/spend-limit.ts";
import {
  byMember,
  now,
  refusalCode,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const cent = 1e7;
const over = { limitUsd: 0.01, spentNanoUsd: cent };

test.each<[what: string, limitUsd: number | null, facts: Partial<SendFacts>, code: string | null]>([
  ["no limit", null, { sessionNanoUsd: 1e15, workspaceSpend: { limitUsd: null, spentNanoUsd: 1e15 } }, null],
  ["a workspace at its limit", null, { workspaceSpend: over }, "CREDIT_LIMIT_REACHED"],
  ["a workspace just below it", null, { workspaceSpend: { ...over, spentNanoUsd: cent - 1 } }, null],
  [
    "a workspace that may spend nothing",
    null,
    { workspaceSpend: { limitUsd: 0, spentNanoUsd: 0 } },
    "CREDIT_LIMIT_REACHED",
  ],
  ["a session at its limit", 0.01, { sessionNanoUsd: cent }, "CREDIT_LIMIT_REACHED"],
  ["a session just below it", 0.01, { sessionNanoUsd: cent - 1 }, null],
  [
    "both at theirs, on a subscription",
    0.01,
    { workspaceSpend: over, sessionNanoUsd: cent, subscribed: new Set(["anthropic"]) },
    null,
  ],
  [
    "a subscription of another provider",
    0.01,
    { sessionNanoUsd: cent, subscribed: new Set(["zai"]) },
    "CREDIT_LIMIT_REACHED",
  ],
])("a send in %s", (_, spendLimitUsd, facts, code) => {
  const state = sessionState({ session: { spendLimitUsd } });
  const decision = send(state, sendCommand(), sendFacts(facts), now);
  expect(refusalCode(decision)).toBe(code);
});

describe("a refusal", () => {
  it("says what to do", () => {
    const decision = send(sessionState(), sendCommand(), sendFacts({ workspaceSpend: over }), now);
    expect(decision).toMatchObject({
      message: expect.stringMatching(/spend limit of \$0\.01 this month\. An owner or admin can raise it/),
    });
  });

  it.each([
    [5, "$5"],
    [0.5, "$0.50"],
    [0.0001, "$0.0001"],
    [1_250.5, "$1,250.50"],
  ])("names the limit %d as %s", (limitUsd, words) => {
    const spent = { limitUsd, spentNanoUsd: limitUsd * 1e9 };
    expect(findSpentReason({ workspace: spent, session: noSpend })).toContain(
      `its spend limit of ${words} this month.`,
    );
  });

  it("does not apply to a message that only waits for the end of a turn", () => {
    const state = sessionState({ turn: turn("running") });
    expect(refusalCode(send(state, sendCommand(), sendFacts({ workspaceSpend: over }), now))).toBeNull();
  });

  it("applies to the queue, unless it is empty", () => {
    const facts = sendFacts({ workspaceSpend: over });
    const paused = (upNext: ReturnType<typeof waiting>) =>
      sessionState({ upNext, pause: { reason: "failed", pausedAt: now } });
    expect(refusalCode(resumeQueue(paused(waiting("a")), { turnId: "t", by: byMember() }, facts, now))).toBe(
      "CREDIT_LIMIT_REACHED",
    );
    expect(refusalCode(resumeQueue(paused([]), { turnId: "t", by: byMember() }, facts, now))).toBeNull();
  });
});

test("only people set limits", () => {
  const kinds = ["browser", "api-key", "agent", "cron-run", "relay"] as const;
  expect(kinds.filter((kind) => checkLimitChange({ kind }) === null)).toEqual(["browser", "api-key"]);
});

test.each([
  ["has not been told of it", 40, 0, 140],
  ["has been told of a part", 40, 25, 115],
  ["has been told meanwhile", 40, 60, 100],
])(
  "a workspace's spend includes all of a piece of work, also if it %s",
  (_, countedNanoUsd, reportedNanoUsd, spentNanoUsd) => {
    const spend = { limitUsd: 1, spentNanoUsd: 100 };
    expect(withWork(spend, { countedNanoUsd, reportedNanoUsd })).toEqual({ limitUsd: 1, spentNanoUsd });
  },
);
