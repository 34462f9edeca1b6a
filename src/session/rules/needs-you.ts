// Needs you: why a session waits for a person, the most severe reason first (decisions, "Chat
// sessions").

import { hasFailedChecks } from "./pull-request/code-host-event.ts";
import { isOpenPullRequest } from "./pull-request/pull-request.ts";
import type { Session, SessionState } from "./session.ts";
import { isOpen } from "./status.ts";

export const needsYouReasons = ["awaiting_response", "job_failed", "checks_failed", "queue_paused", "behind"] as const;
export type NeedsYouReason = (typeof needsYouReasons)[number];

/** The most severe reason; null if the session can continue by itself or has ended. */
export function findNeedsYouReason({ session, chat }: SessionState): NeedsYouReason | null {
  if (!isOpen(session.status)) return null;
  const { turn, upNext, pause } = chat;
  if (turn?.status === "awaiting_response") return "awaiting_response";
  if (turn?.status === "failed") return "job_failed";
  const hasOpenPullRequest = isOpenPullRequest(session.prState);
  if (hasOpenPullRequest && hasFailedChecks(session.prReport)) return "checks_failed";
  if (pause && upNext.length > 0) return "queue_paused";
  const isShipping = session.ship !== null && !session.ship.isRefused;
  return session.isBehind && hasOpenPullRequest && !isShipping ? "behind" : null;
}

/**
 * The state after a decision, with the time at which its present reason began. A state that was
 * stored before that time was recorded counts its last change as the time.
 */
export function recordNeedsYouSince(before: SessionState | null, after: SessionState, now: number): SessionState {
  const reason = findNeedsYouReason(after);
  const isSame = before !== null && findNeedsYouReason(before) === reason;
  const began = isSame ? (before.session.needsYouSince ?? before.session.updatedAt) : now;
  const needsYouSince = reason === null ? null : began;
  return needsYouSince === after.session.needsYouSince
    ? after
    : { ...after, session: { ...after.session, needsYouSince } };
}

/** When the present reason began; null without one. */
export function findNeedsYouSince(
  reason: NeedsYouReason | null,
  { needsYouSince, updatedAt }: Pick<Session, "needsYouSince" | "updatedAt">,
): number | null {
  return reason === null ? null : (needsYouSince ?? updatedAt);
}

/**
 * True if a person has seen the reason that began then; null without one, and for a reader who is
 * not one person. A mark is the newest `needsYouSince` that the person has seen, and null if there
 * is none.
 */
export function isReasonSeen(needsYouSince: number | null, mark: number | null | undefined): boolean | null {
  if (needsYouSince === null || mark === undefined) return null;
  return mark !== null && mark >= needsYouSince;
}
