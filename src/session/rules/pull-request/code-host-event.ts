// Events of the code host about a session's branch and its pull request. They may arrive twice,
// late and out of order. Each carries the time at which it happened; an event older than the known
// state changes nothing.

import { type Decision, decided } from "../../../rules/decision.ts";
import type { SessionEffect } from "../../../rules/effect.ts";
import { isRefusal } from "../../../rules/refusal.ts";
import { recordAnswers, updateAutofix } from "../automatic.ts";
import type { Session, SessionState } from "../session.ts";
import { isOpen } from "../status.ts";
import { isOpenPullRequest } from "./pull-request.ts";
import type { ReviewEvent } from "./review-event.ts";
import { findShipAfterEvent, isShipTurn } from "./ship.ts";
import type { ChecksVerdict, CodeHostAccount, PullRequestReport, PullRequestState, Shipping } from "./state.ts";

/** The pull request as it was at a time of the code host's clock. */
export interface PullRequestEvent {
  type: "pull-request";
  number: number;
  url: string;
  state: PullRequestState;
  /** The branch that it is to be merged into; null if the event does not say. */
  base: string | null;
  /** The commit that it proposes to merge. */
  sha: string;
  /** The account that merged it; missing if the event does not say. */
  mergedBy?: CodeHostAccount;
  changedAt: number;
}

/** A check of the commit at the head of the branch has started or ended. */
export interface CheckEvent {
  type: "check";
  /** Identical for all runs of one check. */
  check: string;
  sha: string;
  /** When the check was created or started. A later one than the known commit is of a newer one. */
  begunAt: number;
  /** When it last started or ended. */
  changedAt: number;
  hasFailed: boolean;
  /** True for one that has started, or started again, and not ended. */
  hasStarted?: true;
}

/** The session's branch or its Target Branch has moved. */
export interface BranchEvent {
  type: "branch";
}

/**
 * The sandbox has made a new checkout. `targetCommit` is the newest commit of the Target Branch in
 * it.
 */
export interface CheckoutEvent {
  type: "checkout";
  targetCommit: string;
}

/** A member has switched automatic repairs off or on, in a comment. */
export interface AutofixEvent {
  type: "autofix";
  isOff: boolean;
}

/** A comment at the code host shows the state of the session from now on. */
export interface AnswerEvent {
  type: "answer";
}

export type CodeHostEvent = PullRequestEvent | CheckEvent | ReviewEvent | BranchEvent | AutofixEvent | AnswerEvent;

/** True if a check of the newest commit has failed and not passed since. */
export function hasFailedChecks(report: PullRequestReport | null): boolean {
  return Object.values(report?.checks ?? {}).some(({ hasFailed }) => hasFailed);
}

/**
 * The status of an open session after the end of its pull request (Part 1, "Session statuses");
 * null while the pull request is open.
 */
export function findEndByPullRequest(state: SessionState): "completed" | "archived" | null {
  const { status, prState } = state.session;
  // The turn that merged it reports the merge, and ends by itself.
  if (!isOpen(status) || isShipTurn(state)) return null;
  if (prState === "merged") return "completed";
  return prState === "closed" ? "archived" : null;
}

type EventDecision = Decision<SessionState, null, SessionEffect>;

/** Applies an event of the code host, or one of the sandbox about its branch. */
export function handleCodeHostEvent(
  state: SessionState,
  event: CodeHostEvent | CheckoutEvent,
  now: number,
): EventDecision {
  switch (event.type) {
    case "pull-request":
      return handlePullRequestEvent(state, event, now);
    case "check":
      return handleCheckEvent(state, event, now);
    case "checkout":
      return recordTargetCommit(state, event.targetCommit);
    case "review": {
      const { prNumber, prState } = state.session;
      const isOfOpen = prNumber === event.number && isOpenPullRequest(prState);
      return decided(state, null, isOfOpen ? [{ type: "run-review-triggers", id: event.reviewId, review: event }] : []);
    }
    case "autofix":
      return decided(updateAutofix(state, event.isOff), null, event.isOff ? [] : listRetries(state));
    case "answer":
      // The place may be another one than before.
      return decided(recordAnswers(state), null, [{ type: "remind", name: "answer-places", at: now }]);
    case "branch":
      return decided(state, null, isCompared(state.session) ? [{ type: "compare-branch" }] : []);
  }
}

/** What automatic repairs begin with once they are no longer off: the failed checks of the head. */
function listRetries({ session: { automatic, prReport, prState } }: SessionState): SessionEffect[] {
  const isFailing = prReport?.verdict === "failed" && isOpenPullRequest(prState);
  return automatic?.isOff && isFailing ? [{ type: "retry-triggers", id: prReport.sha }] : [];
}

/**
 * How far the session's branch is behind its Target Branch, on the code host and in the sandbox.
 * Null for a place that does not have the branch.
 */
export interface BranchComparison {
  /** The Target Branch that the session's branch was compared with. */
  targetBranch: string;
  hostBehindBy: number | null;
  /** The commit of the Target Branch that the sandbox had when the comparison started. */
  targetCommit: string | null;
  sandboxBehindBy: number | null;
}

/**
 * Records whether the branch is behind. The place where it is less behind counts, pushed or not.
 */
export function recordBehind(state: SessionState, compared: BranchComparison, now: number): EventDecision {
  const { session } = state;
  const { targetBranch, hostBehindBy, targetCommit, sandboxBehindBy } = compared;
  // A change in the meantime has requested its own comparison.
  const isOutdated = targetBranch !== session.targetBranch || targetCommit !== session.targetCommit;
  if (!isCompared(session) || isOutdated) return decided(state, null);
  const known = [hostBehindBy, sandboxBehindBy].filter((behindBy) => behindBy !== null);
  if (known.length === 0) return decided(state, null);
  return changed(state, { isBehind: Math.min(...known) > 0 }, now);
}

/** Records the newest commit of the Target Branch that the sandbox has. */
export function recordTargetCommit(state: SessionState, targetCommit: string): EventDecision {
  const { session } = state;
  if (session.targetCommit === targetCommit) return decided(state, null);
  const effects: SessionEffect[] = isCompared(session) ? [{ type: "compare-branch" }] : [];
  return decided({ ...state, session: { ...session, targetCommit } }, null, effects);
}

/** True for a session whose branch is compared with its Target Branch. */
export function isCompared({ status, branch }: Session): boolean {
  return isOpen(status) && branch !== null;
}

function handlePullRequestEvent(state: SessionState, event: PullRequestEvent, now: number): EventDecision {
  const { session } = state;
  const { prReport: known } = session;
  // A branch may have a second pull request; the session follows its own.
  if (session.prNumber !== null && session.prNumber !== event.number) return decided(state, null);
  // A merge is final, even if its event arrives late.
  const isOverdue = known !== null && event.changedAt < known.changedAt && event.state !== "merged";
  if (session.prState === "merged" || isOverdue) return decided(state, null);
  const isNewCommit = known === null || (event.sha !== known.sha && event.changedAt >= known.shaAt);
  const head = isNewCommit ? { sha: event.sha, shaAt: event.changedAt, checks: {} } : known;
  const mergedBy = event.mergedBy && { mergedBy: event.mergedBy };
  const prReport = { ...head, ...mergedBy, changedAt: Math.max(event.changedAt, known?.changedAt ?? 0) };
  const update = {
    prNumber: event.number,
    prUrl: event.url,
    prState: event.state,
    prBase: event.base ?? session.prBase,
    prReport,
  };
  const ship = findShipAfterEvent({ ...session, ...update }, isNewCommit ? event.sha : null);
  const noted = changed(state, { ...update, ship }, now);
  // The checks of a commit may have ended before it was proposed.
  const isProposed = isOpenPullRequest(event.state) && (isNewCommit || !isOpenPullRequest(session.prState));
  return isProposed ? withEffect(noted, { type: "read-checks" }) : noted;
}

function handleCheckEvent(state: SessionState, event: CheckEvent, now: number): EventDecision {
  const { session } = state;
  const { prReport: known } = session;
  const { check, sha, begunAt, changedAt, hasFailed, hasStarted = false } = event;
  if (!isOpen(session.status)) return decided(state, null);
  const isNewCommit = known === null || (sha !== known.sha && begunAt > known.shaAt);
  // The check ran on a commit that is no longer the newest.
  if (!isNewCommit && sha !== known.sha) return decided(state, null);
  const report = isNewCommit ? { changedAt: known?.changedAt ?? 0, sha, shaAt: begunAt, checks: {} } : known;
  const last = (report.checks as PullRequestReport["checks"])[check];
  // The start of a check that ended within the same second may arrive after its end.
  if (last && changedAt < last.changedAt + Number(hasStarted)) return decided(state, null);
  const checks = newest({ ...report.checks, [check]: { hasFailed, changedAt } });
  const still = findShipAfterEvent(session, isNewCommit ? sha : null);
  const ship: Shipping | null = still?.sha === sha && hasFailed ? { ...still, hasFailedCheck: true } : still;
  const noted = changed(state, { prReport: { ...report, checks }, ship }, now);
  // A start can only end a verdict. Without one, the code host is not asked.
  if (hasStarted && report.verdict === undefined) return noted;
  const read = isOpenPullRequest(session.prState) ? withEffect(noted, { type: "read-checks" }) : noted;
  return ship?.sha === sha ? withEffect(read, { type: "ship" }) : read;
}

/**
 * Records the overall outcome of all checks of a commit; null while they run. It is ignored for a
 * commit that is no longer the newest.
 */
export function recordVerdict(
  state: SessionState,
  { sha, verdict, haveAllEnded }: { sha: string; verdict: ChecksVerdict | null; haveAllEnded: boolean },
): EventDecision {
  const { session } = state;
  const { prReport: report } = session;
  if (report?.sha !== sha) return decided(state, null);
  const isFinalFailure = verdict === "failed" && haveAllEnded && isOpenPullRequest(session.prState);
  const effects: SessionEffect[] = isFinalFailure ? [{ type: "run-triggers", id: sha }] : [];
  const { verdict: last, ...running } = report;
  if ((last ?? null) === verdict) return decided(state, null, effects);
  const change = verdict === null ? last && { lastVerdict: last } : { verdict };
  return decided({ ...state, session: { ...session, prReport: { ...running, ...change } } }, null, effects);
}

/** Records that the service marked the pull request ready, unless its state has changed since. */
export function recordMarkedReady(state: SessionState): EventDecision {
  if (state.session.prState !== "draft") return decided(state, null);
  return decided({ ...state, session: { ...state.session, prState: "open" } }, null, [{ type: "index-session" }]);
}

function withEffect(decision: EventDecision, effect: SessionEffect): EventDecision {
  return isRefusal(decision) ? decision : { ...decision, effects: [...decision.effects, effect] };
}

/** The maximum number of checks of one commit that are saved. */
const checksKept = 200;

/** Drops the oldest checks, passed ones before failed ones. */
function newest(checks: PullRequestReport["checks"]): PullRequestReport["checks"] {
  const all = Object.entries(checks);
  if (all.length <= checksKept) return checks;
  all.sort(([, a], [, b]) => Number(b.hasFailed) - Number(a.hasFailed) || b.changedAt - a.changedAt);
  return Object.fromEntries(all.slice(0, checksKept));
}

/**
 * Only a change that clients can see updates the session. Data that only distinguishes old events
 * from new ones does not.
 */
function changed(state: SessionState, update: Partial<Session>, now: number): EventDecision {
  const before = state.session;
  const after: Session = { ...before, ...update };
  const { prReport: _, ship: __, ...shownBefore } = before;
  const { prReport: ___, ship: ____, ...shownAfter } = after;
  const isShown =
    JSON.stringify(shownBefore) !== JSON.stringify(shownAfter) ||
    hasFailedChecks(before.prReport) !== hasFailedChecks(after.prReport);
  return decided({ ...state, session: isShown ? { ...after, updatedAt: now } : after }, null, [
    ...(isShown ? [{ type: "index-session" } as const] : []),
    ...(findEndByPullRequest({ ...state, session: after }) === null ? [] : [{ type: "follow-pull-request" } as const]),
  ]);
}
