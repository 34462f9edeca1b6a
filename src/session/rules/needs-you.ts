// Needs you: why a session waits for a person, the most severe reason first (decisions, "Chat
// sessions").

import { hasFailedChecks } from "./pull-request/code-host-event.ts";
import { isOpenPullRequest } from "./pull-request/pull-request.ts";
import type { SessionState } from "./session.ts";
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
