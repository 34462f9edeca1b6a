// A share link: its states, and what ends it for its visitors (Part 1, "Preview rules", 8). A
// visitor who has opened the preview keeps it until their Auth Token ends, which
// `preview/host/address.ts` issues.
import { lastViewedAccuracyMs } from "../../rules/limits.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { isOpen, type SessionStatus } from "../../session/rules/status.ts";

/** The states of a public link, and the reasons for `unavailable`. */
export const sharedPreviewStatuses = ["ready", "starting", "unavailable"] as const;
export type SharedPreviewStatus = (typeof sharedPreviewStatuses)[number];
export const unavailableReasons = ["session_ended", "not_running", "no_frontends"] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];

/**
 * True if a view of a link is recorded: none was within the accuracy of `lastViewedAt` (Part 1,
 * "Share link").
 */
export function mayRecordView({ lastViewedAt }: { lastViewedAt: number | null }, now: number): boolean {
  return lastViewedAt === null || lastViewedAt < now - lastViewedAccuracyMs;
}

/** True if the session of a link has ended. Its artifacts are shown all the same. */
export function isSharedSessionOver({ status }: { status: SessionStatus }): boolean {
  return !isOpen(status);
}

/** Refuses the artifacts of a main preview. The link of a session also opens its artifacts. */
export function findSharedArtifacts<Session>({ session }: { session: Session | null }): Session | Refusal {
  return session ?? refuse("NOT_FOUND", "A main preview has no artifacts.");
}

/**
 * True if the link that a visitor's preview came from no longer exists. A link that was created
 * since then is another one.
 */
export function isLinkRevoked(linkMadeAt: number, link: { createdAt: number } | null): boolean {
  return link?.createdAt !== linkMadeAt;
}
