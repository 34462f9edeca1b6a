// News of the code host about a session's branch and its pull request. They may come twice, late and in another order than they happened:
// each says when it happened, and what is older than what is known changes nothing.

import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { isRefusal } from "../refusal.ts";
import { isOpen, type Session, type SessionState } from "../session/session.ts";
import { isShipTurn, shipAfterNews } from "./ship.ts";
import type { PullRequestReport, PullRequestState, Shipping } from "./state.ts";

/** The pull request as it was at a moment of the code host's clock. */
export interface PullRequestNews {
  about: "pull-request";
  number: number;
  url: string;
  state: PullRequestState;
  /** The branch that it is to be merged into; null where that is not told. */
  base: string | null;
  /** The commit that it proposes to merge. */
  sha: string;
  changedAt: number;
}

/** One check of the commit at the head of the branch has come to an end, or begins anew. */
export interface CheckNews {
  about: "check";
  /** Tells one check from another, over all its runs. */
  check: string;
  sha: string;
  begunAt: number;
  changedAt: number;
  hasFailed: boolean;
}

/** The session's branch or its Target Branch has moved. */
export interface BranchNews {
  about: "branch";
}

/** The sandbox has made the checkout anew: the newest commit of the Target Branch that it has. */
export interface CheckoutNews {
  about: "checkout";
  targetCommit: string;
}

export type HostNews = PullRequestNews | CheckNews | BranchNews;

/** True when a check of the newest commit has failed and not passed since. */
export function haveChecksFailed(report: PullRequestReport | null): boolean {
  return Object.values(report?.checks ?? {}).some(({ hasFailed }) => hasFailed);
}

/** What an open session becomes by the end of its pull request (Part 1, "Session statuses"); null while that goes on. */
export function endByPullRequest(state: SessionState): "completed" | "archived" | null {
  const { status, prState } = state.session;
  // The turn that merged it tells of that, and comes to its own end.
  if (!isOpen(status) || isShipTurn(state)) return null;
  if (prState === "merged") return "completed";
  return prState === "closed" ? "archived" : null;
}

type NewsDecision = Decision<SessionState, null, SessionEffect>;

/** Takes note of what the code host tells, or the sandbox of its branch. */
export function hearOfHost(state: SessionState, news: HostNews | CheckoutNews, now: number): NewsDecision {
  switch (news.about) {
    case "pull-request":
      return hearOfPullRequest(state, news, now);
    case "check":
      return hearOfCheck(state, news, now);
    case "checkout":
      return noteTargetCommit(state, news.targetCommit);
    case "branch":
      return decided(state, null, isCompared(state.session) ? [{ type: "compare-branch" }] : []);
  }
}

/** How far the session's branch is from its Target Branch: the one on the code host, and the one in the sandbox; null where there is none. */
export interface BranchComparison {
  hostBehindBy: number | null;
  /** Of the commit that the session was heard to have when it was compared. */
  targetCommit: string | null;
  sandboxBehindBy: number | null;
}

/** Takes note of whether the branch is behind: what either place has of the Target Branch has come in, pushed or not. */
export function noteBehind(state: SessionState, compared: BranchComparison, now: number): NewsDecision {
  const { hostBehindBy, targetCommit, sandboxBehindBy } = compared;
  // What has come in meanwhile is compared behind this.
  if (!isCompared(state.session) || targetCommit !== state.session.targetCommit) return decided(state, null);
  const known = [hostBehindBy, sandboxBehindBy].filter((behindBy) => behindBy !== null);
  if (known.length === 0) return decided(state, null);
  return changed(state, { isBehind: Math.min(...known) > 0 }, now);
}

/** Takes note of how much of the Target Branch the sandbox has. */
export function noteTargetCommit(state: SessionState, targetCommit: string): NewsDecision {
  const { session } = state;
  if (session.targetCommit === targetCommit) return decided(state, null);
  const effects: SessionEffect[] = isCompared(session) ? [{ type: "compare-branch" }] : [];
  return decided({ ...state, session: { ...session, targetCommit } }, null, effects);
}

function isCompared({ status, branch }: Session): boolean {
  return isOpen(status) && branch !== null;
}

function hearOfPullRequest(state: SessionState, news: PullRequestNews, now: number): NewsDecision {
  const { session } = state;
  const { prReport: known } = session;
  // A branch may be proposed a second time; the session follows its own pull request.
  if (session.prNumber !== null && session.prNumber !== news.number) return decided(state, null);
  // Of a merge nothing comes back, whenever it is heard of.
  const isOverdue = known !== null && news.changedAt < known.changedAt && news.state !== "merged";
  if (session.prState === "merged" || isOverdue) return decided(state, null);
  const isNewCommit = known === null || (news.sha !== known.sha && news.changedAt >= known.shaAt);
  const head = isNewCommit ? { sha: news.sha, shaAt: news.changedAt, checks: {} } : known;
  const prReport = { ...head, changedAt: Math.max(news.changedAt, known?.changedAt ?? 0) };
  const told = {
    prNumber: news.number,
    prUrl: news.url,
    prState: news.state,
    prBase: news.base ?? session.prBase,
    prReport,
  };
  const ship = shipAfterNews({ ...session, ...told }, isNewCommit ? news.sha : null);
  return changed(state, { ...told, ship }, now);
}

function hearOfCheck(state: SessionState, news: CheckNews, now: number): NewsDecision {
  const { session } = state;
  const { prReport: known } = session;
  const { check, sha, begunAt, changedAt, hasFailed } = news;
  if (!isOpen(session.status)) return decided(state, null);
  const isNewCommit = known === null || (sha !== known.sha && begunAt > known.shaAt);
  // It is of a commit that is no longer the newest.
  if (!isNewCommit && sha !== known.sha) return decided(state, null);
  const report = isNewCommit ? { changedAt: known?.changedAt ?? 0, sha, shaAt: begunAt, checks: {} } : known;
  const last = (report.checks as PullRequestReport["checks"])[check];
  if (last && changedAt < last.changedAt) return decided(state, null);
  const checks = newest({ ...report.checks, [check]: { hasFailed, changedAt } });
  const still = shipAfterNews(session, isNewCommit ? sha : null);
  const ship: Shipping | null = still?.sha === sha && hasFailed ? { ...still, hasFailedCheck: true } : still;
  const noted = changed(state, { prReport: { ...report, checks }, ship }, now);
  return ship?.sha === sha && !isRefusal(noted) ? { ...noted, effects: [...noted.effects, { type: "ship" }] } : noted;
}

/** Of one commit; more than these are not told apart. */
const checksKept = 200;

/** A check that has failed is forgotten after all that have passed. */
function newest(checks: PullRequestReport["checks"]): PullRequestReport["checks"] {
  const all = Object.entries(checks);
  if (all.length <= checksKept) return checks;
  all.sort(([, a], [, b]) => Number(b.hasFailed) - Number(a.hasFailed) || b.changedAt - a.changedAt);
  return Object.fromEntries(all.slice(0, checksKept));
}

/** What is told on the session itself is a change of it; what is kept beside it, to tell news from old, is none. */
function changed(state: SessionState, told: Partial<Session>, now: number): NewsDecision {
  const before = state.session;
  const after: Session = { ...before, ...told };
  const { prReport: _, ship: __, ...shownBefore } = before;
  const { prReport: ___, ship: ____, ...shownAfter } = after;
  const isShown =
    JSON.stringify(shownBefore) !== JSON.stringify(shownAfter) ||
    haveChecksFailed(before.prReport) !== haveChecksFailed(after.prReport);
  return decided({ ...state, session: isShown ? { ...after, updatedAt: now } : after }, null, [
    ...(isShown ? [{ type: "index-session" } as const] : []),
    ...(endByPullRequest({ ...state, session: after }) === null ? [] : [{ type: "follow-pull-request" } as const]),
  ]);
}
