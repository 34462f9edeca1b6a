import { expect, it } from "vitest";
import { service } from "../../../../src/access/rules/actor.ts";
import { listActivityEvents } from "../../../../src/session/rules/activity-events.ts";
import {
  type LastActivity,
  recordLastActivity,
  watchStaleness,
} from "../../../../src/session/rules/pull-request/stale.ts";
import type { PullRequestReport, PullRequestState } from "../../../../src/session/rules/pull-request/state.ts";
import type { SessionState } from "../../../../src/session/rules/session.ts";
import { accepted, now, sessionState } from "../../../support/session-state.ts";

const day = 24 * 3_600_000;
const name = "pull-request-stale";
const remindAt = (at: number) => [{ type: "remind", name, at }];
const report: PullRequestReport = { sha: "a", shaAt: 0, changedAt: 0, checks: {} };
const proposed = (prState: PullRequestState | null, prReport: PullRequestReport | null = report) =>
  sessionState({ session: { prNumber: prState && 7, prState, prReport } });
const last = (changedAt: number, state: PullRequestState = "open"): LastActivity => ({ state, sha: "a", changedAt });

/** The kinds that are notified, and the time of the next check. */
function noted(state: SessionState, found: LastActivity | null) {
  const decision = accepted(recordLastActivity(state, found, now));
  const told = listActivityEvents(state, decision.state, service, now).map(({ kind }) => kind);
  return { told, effects: decision.effects, state: decision.state };
}

it.each<[string, SessionState | null, SessionState | null, object[]]>([
  ["opened", proposed(null), proposed("draft"), remindAt(now + 3 * day)],
  ["told of", proposed("open"), proposed("open", { ...report, changedAt: 1 }), remindAt(now + 3 * day)],
  ["reopened", proposed("closed"), proposed("open"), remindAt(now + 3 * day)],
  ["closed", proposed("open"), proposed("closed"), [{ type: "forget", name }]],
  ["merged", proposed("draft"), proposed("merged"), [{ type: "forget", name }]],
  ["deleted with its session", proposed("open"), null, [{ type: "forget", name }]],
  ["told of once it is over", proposed("merged"), proposed("merged", null), []],
])("a pull request that is %s", (_, before, after, effects) => {
  expect(watchStaleness(before, after, now)).toEqual(effects);
});

it("a change of anything else sets no reminder", () => {
  const state = proposed("open");
  expect(watchStaleness(state, { ...state, session: { ...state.session, title: "Other" } }, now)).toEqual([]);
});

it("without activity for three days it is stale, and again only after new activity", () => {
  const stale = noted(proposed("open"), last(now - 3 * day));
  expect(stale).toMatchObject({ told: ["pr_stale"], effects: remindAt(now + 3 * day) });
  expect(noted(stale.state, last(now - 3 * day))).toMatchObject({ told: [], effects: remindAt(now + 3 * day) });
  expect(noted(stale.state, last(now - 3 * day + 1)).told).toEqual([]);
  const later = recordLastActivity(stale.state, last(now), now + 3 * day);
  expect(listActivityEvents(stale.state, accepted(later).state, service, now)).toMatchObject([{ kind: "pr_stale" }]);
});

it.each<[string, SessionState, LastActivity | null, object[]]>([
  ["activity that nobody told of", proposed("open"), last(now - day), remindAt(now + 2 * day)],
  ["a code host that does not answer", proposed("open"), null, remindAt(now + day / 24)],
  ["one that is over on the code host", proposed("open"), last(0, "merged"), []],
  ["one that is over", proposed("closed"), last(0), []],
])("%s is not stale", (_, state, found, effects) => {
  expect(noted(state, found)).toMatchObject({ told: [], effects });
});

it("one without any webhook so far is stale too", () => {
  expect(noted(proposed("draft", null), last(0, "draft")).told).toEqual(["pr_stale"]);
});
