// Stale pull requests: open, and without activity for three days. The service does not receive
// every activity, so it queries the code host first.
import { type Decision, decided } from "../../../rules/decision.ts";
import type { SessionEffect } from "../../../rules/effect.ts";
import { stalePullRequestMs } from "../../../rules/limits.ts";
import type { SessionState } from "../session.ts";
import { isOpenPullRequest } from "./pull-request.ts";
import type { PullRequestState } from "./state.ts";

/** The delay before a code host that did not respond is queried again. */
const askAgainMs = 60 * 60_000;

/** The pull request as the code host knows it. */
export interface LastActivity {
  state: PullRequestState;
  sha: string;
  changedAt: number;
}

/** Sets a reminder to check an open pull request after a long time without a reported activity. */
export function watchStaleness(before: SessionState | null, after: SessionState | null, now: number): SessionEffect[] {
  const [was, is] = [before?.session, after?.session];
  if (was?.prState === is?.prState && was?.prReport === is?.prReport) return [];
  if (isOpenPullRequest(is?.prState ?? null)) {
    return [{ type: "remind", name: "pull-request-stale", at: now + stalePullRequestMs }];
  }
  return isOpenPullRequest(was?.prState ?? null) ? [{ type: "forget", name: "pull-request-stale" }] : [];
}

/**
 * Records the newest activity; null if the code host does not respond. Reports once per activity
 * that the pull request is stale.
 */
export function recordLastActivity(
  state: SessionState,
  last: LastActivity | null,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { session } = state;
  if (!isOpenPullRequest(session.prState)) return decided(state, null);
  const lookAt = (at: number): SessionEffect[] => [{ type: "remind", name: "pull-request-stale", at }];
  if (last === null) return decided(state, null, lookAt(now + askAgainMs));
  // A webhook reports its end.
  if (!isOpenPullRequest(last.state)) return decided(state, null);
  const staleAt = last.changedAt + stalePullRequestMs;
  if (staleAt > now) return decided(state, null, lookAt(staleAt));
  const next = lookAt(now + stalePullRequestMs);
  if (session.prReport?.staleSince === last.changedAt) return decided(state, null, next);
  const { sha, changedAt } = last;
  const report = session.prReport ?? { sha, shaAt: changedAt, changedAt, checks: {} };
  return decided({ ...state, session: { ...session, prReport: { ...report, staleSince: changedAt } } }, null, next);
}
