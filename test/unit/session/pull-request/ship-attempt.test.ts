// The steps of one attempt to ship, by the state of the pull request and its checks.
import { describe, expect, test } from "vitest";
import {
  findUncheckedOutcome,
  getShipStep,
  type ShipAttempt,
  type ShipStep,
} from "../../../../src/session/rules/pull-request/ship.ts";

const none = { failed: [], pending: [] };
const ship = { turnId: "turn-1", sha: "a" };

function attempt(
  state: ShipAttempt["found"]["state"],
  isAsked: boolean,
  session: Partial<ShipAttempt["session"]> = {},
): ShipAttempt {
  return { session: { status: "active", ship, ...session }, found: { number: 7, state }, isAsked };
}

describe("before the checks", () => {
  test.each([
    ["merged", true, { type: "merged" }],
    ["merged", false, { type: "merged" }],
    ["closed", true, { type: "refused", reason: "Pull request 7 is closed now." }],
    ["closed", false, { type: "refused", reason: "Pull request 7 is closed now." }],
    ["draft", false, { type: "refused", reason: "Pull request 7 is a draft now." }],
    ["draft", true, null],
    ["open", true, null],
    ["open", false, null],
  ] as const)("one that is %s, requested: %s, results in %j", (state, isAsked, outcome) => {
    expect(findUncheckedOutcome(attempt(state, isAsked))).toEqual(outcome);
  });
});

describe("with its checks", () => {
  const passed = { state: "passed" as const, ...none };
  const pending = { state: "pending" as const, failed: [], pending: ["lint"] };
  const failed = { state: "failed" as const, failed: ["tests"], pending: ["lint"] };
  const failedBefore = { ship: { ...ship, hasFailedCheck: true as const } };

  const steps: [string, ShipAttempt, Parameters<typeof getShipStep>[1], ShipStep][] = [
    ["passed, open", attempt("open", true), passed, { type: "merge", makesReady: false, elseDraft: false }],
    ["passed, a draft", attempt("draft", true), passed, { type: "merge", makesReady: true, elseDraft: true }],
    [
      "none at all",
      attempt("open", true),
      { state: "none", ...none },
      { type: "merge", makesReady: false, elseDraft: false },
    ],
    ["passed meanwhile", attempt("open", false), passed, { type: "merge", makesReady: false, elseDraft: true }],
    [
      "passed meanwhile, people review",
      attempt("open", false, { status: "under-review" }),
      passed,
      { type: "merge", makesReady: false, elseDraft: false },
    ],
    ["pending", attempt("open", true), pending, { type: "wait", checks: ["lint"], makesReady: false }],
    ["pending, a draft", attempt("draft", true), pending, { type: "wait", checks: ["lint"], makesReady: true }],
    ["failed", attempt("draft", true), failed, { type: "give-up", checks: ["tests"], thenDraft: false }],
    ["failed meanwhile", attempt("open", false), failed, { type: "give-up", checks: ["tests"], thenDraft: true }],
    [
      "failed meanwhile, people review",
      attempt("open", false, { status: "under-review" }),
      failed,
      { type: "give-up", checks: ["tests"], thenDraft: false },
    ],
    [
      "passed after one failed",
      attempt("open", false, failedBefore),
      passed,
      { type: "give-up", checks: [], thenDraft: true },
    ],
  ];
  test.each(steps)("%s", (_, found, checks, step) => {
    expect(getShipStep(found, checks)).toEqual(step);
  });
});
