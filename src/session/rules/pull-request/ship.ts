// Shipping: the session's pull request is merged, immediately or once its checks have passed
// (decisions, "Skills, plugins"). A request is for one commit; a change of what would be merged
// withdraws it.
import type { SaidMessage } from "../../../chat/rules/message.ts";
import { isUnfinished, type Turn } from "../../../chat/rules/turn.ts";
import { type Decision, decided } from "../../../rules/decision.ts";
import type { SessionEffect } from "../../../rules/effect.ts";
import { refuse } from "../../../rules/refusal.ts";
import { findCalledBuiltInSkill } from "../../../skill/rules/skill-call.ts";
import type { Session, SessionState } from "../session.ts";
import { isOpenPullRequest, isPullRequestOver } from "./pull-request.ts";
import type { CodeHostAccount, PullRequestReport, PullRequestState, Shipping } from "./state.ts";

/** The outcome of an attempt to merge. */
export type ShipOutcome =
  /** `mergedBy` is missing if the code host does not say. */
  | { type: "merged"; mergedBy?: CodeHostAccount | undefined }
  /**
   * These checks have not ended. `readyAt` is the last change of a pull request that was marked
   * ready, if the commit is its newest.
   */
  | { type: "waiting"; checks: string[]; readyAt?: number | undefined }
  | { type: "failed"; checks: string[] }
  /** Why the code host does not merge it. */
  | { type: "refused"; reason: string };

type ShipDecision = Decision<SessionState, null, SessionEffect>;

/**
 * Records at the start of a turn that it is to ship. From now on, being behind is no reason for the
 * session to need a person (Part 1, "Chat session").
 */
export function recordShipCall(
  state: SessionState,
  { turnId, message }: { turnId: string; message: SaidMessage },
  now: number,
): ShipDecision {
  const { turn } = state.chat;
  const { ship, prState } = state.session;
  const isCall =
    isUnfinished(turn) && turn.id === turnId && findCalledBuiltInSkill(message, turn.model)?.name === "svc:ship";
  if (!isCall || !isOpenPullRequest(prState) || (ship !== null && !ship.isRefused)) return decided(state, null);
  return keep(state, { ship: { turnId, sha: null } }, now);
}

/** Accepts a request to merge a commit. */
export function requestShip(state: SessionState, request: { turnId: string; sha: string }, now: number): ShipDecision {
  const { session } = state;
  if (session.prNumber === null) {
    return refuse("BAD_REQUEST", "There is no pull request yet. Open one with the skill svc:open-pr, then ship.");
  }
  const isAgain = session.ship?.turnId === request.turnId;
  if (!isAgain && isPullRequestOver(session.prState)) {
    return refuse(
      "BAD_REQUEST",
      `Pull request ${session.prNumber} is ${session.prState}, so there is nothing to ship.`,
    );
  }
  return keep(state, { ship: { ...request, isAttempted: true } }, now);
}

/**
 * Applies the outcome of an attempt. An outcome for another commit than the requested one changes
 * nothing.
 */
export function recordShipOutcome(
  state: SessionState,
  { sha, outcome }: { sha: string; outcome: ShipOutcome },
  now: number,
): ShipDecision {
  const { ship, prState } = state.session;
  if (ship?.sha !== sha) return decided(state, null);
  const { isAttempted: _, ...settled } = ship;
  switch (outcome.type) {
    case "merged":
      return keep(state, { ship: { ...settled, sha: null }, ...merged(state.session, sha, outcome.mergedBy) }, now);
    case "waiting": {
      if (isPullRequestOver(prState)) return decided(state, null);
      const prReport = getReportAt(state.session.prReport, outcome.readyAt);
      return keep(state, { ship: settled, prState: "open", prReport }, now);
    }
    case "failed":
      return keep(state, { ship: { turnId: ship.turnId, sha: null } }, now);
    case "refused":
      return keep(state, { ship: { turnId: ship.turnId, sha: null, isRefused: true } }, now);
  }
}

/**
 * The state of the session once it is merged. An event of the merge may have arrived first and
 * reported it.
 */
function merged(
  { prReport }: Session,
  sha: string,
  mergedBy: CodeHostAccount | undefined,
): Pick<Session, "prState" | "prReport"> {
  if (!mergedBy || prReport?.mergedBy) return { prState: "merged", prReport };
  const report = prReport ?? { sha, shaAt: 0, changedAt: 0, checks: {} };
  return { prState: "merged", prReport: { ...report, mergedBy } };
}

/** The report as of a later time, so that a late event does not restore an earlier state. */
function getReportAt(report: PullRequestReport | null, at = 0): PullRequestReport | null {
  return report && { ...report, changedAt: Math.max(report.changedAt, at) };
}

/**
 * The request after an event of the code host. A new commit withdraws it, and so does a pull
 * request that is not open for review. During the attempt it may still be a draft.
 */
export function findShipAfterEvent({ ship, prState }: Session, newSha: string | null): Shipping | null {
  if (!ship?.sha) return ship;
  const isOpen = ship.isAttempted ? isOpenPullRequest(prState) : prState === "open";
  const isStill = isOpen && (newSha === null || newSha === ship.sha);
  return isStill ? ship : { ...ship, sha: null };
}

/** True while the turn that requested the merge runs. The session ends after it. */
export function isShipTurn({ session, chat: { turn } }: SessionState): boolean {
  return isUnfinished(turn) && session.ship?.turnId === turn.id;
}

/** True if a turn has completed and its pull request now waits for checks and reviewers. */
export function isLeavingForReview({ ship, prState, status }: Session, ended: Turn): boolean {
  const waits = ship?.turnId === ended.id && ship.sha !== null && prState === "open";
  return waits && ended.status === "completed" && status === "active";
}

/** The outcome as text for the agent. */
export function formatShipOutcome(outcome: ShipOutcome): string {
  switch (outcome.type) {
    case "merged":
      return "The pull request is merged. The session is completed when this turn ends.";
    case "waiting":
      return `Checks are still running: ${outcome.checks.join(", ")}. The pull request is merged as soon as they have passed; a new commit or a failed check cancels that.`;
    case "failed":
      return `Not merged: these checks have failed: ${outcome.checks.join(", ")}. Once they are fixed, ship again.`;
    case "refused":
      return `Not merged: ${outcome.reason}`;
  }
}

function keep(state: SessionState, change: Partial<Session>, now: number): ShipDecision {
  const session: Session = { ...state.session, ...change, updatedAt: now };
  const ends = session.prState === "merged" && !isShipTurn(state);
  return decided({ ...state, session }, null, [
    { type: "index-session" },
    ...(ends ? [{ type: "follow-pull-request" } as const] : []),
  ]);
}

/**
 * One attempt to ship: the next step for a pull request, by its state and checks on the code host
 * (decisions, "Skills, plugins").
 */
export interface ShipAttempt {
  session: Pick<Session, "status" | "ship">;
  /** The pull request on the code host. */
  found: { number: number; state: PullRequestState; mergedBy?: CodeHostAccount };
  /** True while the turn that requested the merge waits for the outcome. */
  isAsked: boolean;
}

interface Checks {
  state: "none" | "pending" | "passed" | "failed";
  failed: string[];
  pending: string[];
}

/**
 * What to do on the code host. `thenDraft` and `elseDraft` are for a pull request that was made
 * ready only to be shipped.
 */
export type ShipStep =
  | { type: "give-up"; checks: string[]; thenDraft: boolean }
  | { type: "wait"; checks: string[]; makesReady: boolean }
  | { type: "merge"; makesReady: boolean; elseDraft: boolean };

/** The outcome that does not depend on the checks; null if they decide. */
export function findUncheckedOutcome({ found: { number, state, mergedBy }, isAsked }: ShipAttempt): ShipOutcome | null {
  switch (state) {
    case "merged":
      return { type: "merged", mergedBy };
    case "closed":
      return { type: "refused", reason: `Pull request ${number} is closed now.` };
    case "draft":
      return isAsked ? null : { type: "refused", reason: `Pull request ${number} is a draft now.` };
    case "open":
      return null;
  }
}

/**
 * The step that the checks of the commit require. No checks count as passed. A check that failed
 * once counts as failed, even if it passes later.
 */
export function getShipStep({ session, found, isAsked }: ShipAttempt, checks: Checks): ShipStep {
  const isDraft = found.state === "draft";
  // A session that waits while Active had its pull request made ready only to be shipped.
  const wasMadeReady = !isAsked && session.status === "active";
  if (checks.state === "failed") return { type: "give-up", checks: checks.failed, thenDraft: wasMadeReady };
  if (session.ship?.hasFailedCheck) return { type: "give-up", checks: [], thenDraft: wasMadeReady };
  if (checks.state === "pending") return { type: "wait", checks: checks.pending, makesReady: isDraft };
  return { type: "merge", makesReady: isDraft, elseDraft: wasMadeReady || isDraft };
}
