import { describe, expect, it } from "vitest";
import { getComparisonBase } from "../../../../src/session/rules/pull-request/pull-request.ts";
import { findPullRequestMove, findStateAfter } from "../../../../src/session/rules/pull-request/ready-or-draft.ts";
import { pullRequestStates } from "../../../../src/session/rules/pull-request/state.ts";
import { type SessionStatus, sessionStatuses } from "../../../../src/session/rules/status.ts";
import { sessionState } from "../../../support/session-state.ts";

/** Part 1, "Session statuses": every change of a pull request that a move or a message causes. */
const changes = [
  { from: "active", to: "under-review", found: "draft", made: "open" },
  { from: "under-review", to: "active", found: "open", made: "draft" },
] as const;

const pairs = sessionStatuses.flatMap((from) =>
  sessionStatuses.map((to): [SessionStatus, SessionStatus] => [from, to]),
);

describe("a move", () => {
  it.each(pairs)("from %s to %s changes the pull request as the contract says", (from, to) => {
    for (const found of pullRequestStates) {
      const { session } = sessionState({ session: { status: from, prNumber: 7, prState: found } });
      const change = changes.find((one) => one.from === from && one.to === to && one.found === found);
      expect(findPullRequestMove(session, to), found).toBe(change?.made ?? null);
    }
  });

  it.each(pairs)("from %s to %s changes nothing without a pull request", (from, to) => {
    for (const prState of [...pullRequestStates, null]) {
      const { session } = sessionState({ session: { status: from, prNumber: null, prState } });
      expect(findPullRequestMove(session, to)).toBeNull();
    }
  });
});

it.each(pullRequestStates)(
  "a pull request that is %s has the state that the move set, unless it has ended",
  (prState) => {
    const { session } = sessionState({ session: { prState } });
    const hasEnded = prState === "merged" || prState === "closed";
    for (const move of ["draft", "open"] as const)
      expect(findStateAfter(move, session)).toBe(hasEnded ? prState : move);
    expect(findStateAfter(null, session)).toBe(prState);
  },
);

it.each(pullRequestStates)(
  "a session whose pull request is %s is compared with its base only while that is open",
  (prState) => {
    const isOpen = prState === "open" || prState === "draft";
    expect(getComparisonBase({ prState, prBase: "release", targetBranch: "main" })).toBe(isOpen ? "release" : "main");
    expect(getComparisonBase({ prState, prBase: null, targetBranch: "main" })).toBe("main");
  },
);

it("a session without a pull request is compared with its Target Branch", () => {
  expect(getComparisonBase({ prState: null, prBase: null, targetBranch: "main" })).toBe("main");
});
