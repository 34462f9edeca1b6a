import { describe, expect, it } from "vitest";
import {
  findNeedsYouReason,
  isReasonSeen,
  needsYouReasons,
  recordNeedsYouSince,
} from "../../../src/session/rules/needs-you.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import { now, sessionState, turn, waiting } from "../../support/session-state.ts";

const behind: Partial<Session> = { prState: "open", isBehind: true };
const failed: Partial<Session> = {
  prState: "open",
  prReport: { changedAt: now, sha: "a", shaAt: now, checks: { lint: { hasFailed: true, changedAt: now } } },
};
const paused = { upNext: waiting("a"), pause: { reason: "cancelled", pausedAt: now } as const };

describe("the reason why a session needs you", () => {
  it("is ordered by severity", () => {
    expect(needsYouReasons).toEqual(["awaiting_response", "job_failed", "checks_failed", "queue_paused", "behind"]);
  });

  it.each([
    ["awaiting_response", { turn: turn("awaiting_response"), ...paused, session: behind }],
    ["job_failed", { turn: turn("failed"), ...paused, session: behind }],
    ["job_failed", { turn: turn("failed"), ...paused, session: { ...behind, ...failed } }],
    ["checks_failed", { turn: turn("cancelled"), ...paused, session: { ...behind, ...failed } }],
    ["queue_paused", { turn: turn("cancelled"), ...paused, session: behind }],
    ["behind", { turn: turn("completed"), session: behind }],
    ["behind", { turn: turn("completed"), session: { ...behind, prState: "draft" as const } }],
    ["behind", { session: { ...behind, ship: { turnId: "turn-1", sha: null, isRefused: true as const } } }],
    [
      "behind",
      { turn: turn("cancelled"), pause: paused.pause, session: { ...behind, status: "under-review" as const } },
    ],
  ])("is %s, the most severe one", (reason, changes) => {
    expect(findNeedsYouReason(sessionState(changes))).toBe(reason);
  });

  it.each([
    ["has done nothing yet", {}],
    ["runs", { turn: turn("running") }],
    ["has completed its turn", { turn: turn("completed") }],
    ["was stopped with nothing waiting", { turn: turn("cancelled"), pause: paused.pause }],
    ["has failed checks and a merged pull request", { session: { ...failed, prState: "merged" as const } }],
    ["is behind without a pull request", { session: { isBehind: true } }],
    ["is behind with a closed pull request", { session: { ...behind, prState: "closed" as const } }],
    ["is behind and has run the ship skill", { session: { ...behind, ship: { turnId: "turn-1", sha: null } } }],
    ["has an open pull request that is not behind", { session: { ...behind, isBehind: false } }],
  ])("is nothing for one that %s", (_, changes) => {
    expect(findNeedsYouReason(sessionState(changes))).toBeNull();
  });

  it.each(["backlog", "completed", "archived"] as const)("is nothing for one that is %s", (status) => {
    const state = sessionState({ turn: turn("failed"), ...paused, session: { ...behind, status } });
    expect(findNeedsYouReason(state)).toBeNull();
  });
});

describe("the time at which a reason began", () => {
  const asks = sessionState({ turn: turn("awaiting_response") });
  const asksSince = (needsYouSince: number | null) =>
    sessionState({ turn: turn("awaiting_response"), session: { needsYouSince } });

  it.each([
    ["is that of the decision that brought it", sessionState({ turn: turn("running") }), asks, now],
    ["is that of the decision for a new session", null, asks, now],
    ["stays while the reason stays", asksSince(now - 5), asksSince(now - 5), now - 5],
    ["begins again with another reason", asksSince(now - 5), sessionState({ turn: turn("failed") }), now],
    ["is none without a reason", asksSince(now - 5), sessionState({ turn: turn("running") }), null],
    ["is the last change where none was recorded", asksSince(null), asksSince(null), asks.session.updatedAt],
  ])("%s", (_, before, after, since) => {
    expect(recordNeedsYouSince(before, after, now).session.needsYouSince).toBe(since);
  });

  it("leaves a state as it is where nothing changes", () => {
    const state = asksSince(now - 5);
    expect(recordNeedsYouSince(state, state, now)).toBe(state);
  });
});

it.each([
  [10, 10, true],
  [10, 11, true],
  [10, 9, false],
  [10, null, false],
  [10, undefined, null],
  [null, 10, null],
])("a reason that began at %s is seen with the mark %s: %s", (since, mark, isSeen) => {
  expect(isReasonSeen(since, mark)).toBe(isSeen);
});
