// The outcome of a run of a trigger: what it did, or why it did nothing.
import type { Refusal } from "../../rules/refusal.ts";
import { isOutOfAttempts, isOverspent, noCredential } from "../../session/rules/automatic.ts";
import type { Session } from "../../session/rules/session.ts";
import { isOpen } from "../../session/rules/status.ts";
import type { Trigger } from "./trigger.ts";

export const outcomes = ["sent", "started", "filed", "skipped"] as const;
export const skipReasons = [
  ...["cap_day", "cap_attempts", "cap_spend", "base_fails", "not_ours", "under_review", "ended"],
  ...["queue_full", "no_credentials", "refused", "backlog", "duplicate", "fork", "off", "filters"],
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a member's review sends no message; null if it sends one. */
export function findReviewSkipReason({ status }: Session): SkipReason | null {
  return isOpen(status) ? null : "ended";
}

/** The facts about failed checks besides the session's own state. */
export interface ChecksFacts {
  /** True if the session pushed the commit. */
  isOurs: boolean;
  /** The checks that failed, without those that fail on the base too. */
  failed: readonly string[];
}

/** Why failed checks send no message; null if they send one. */
export function findSkipReason(session: Session, trigger: Trigger, { isOurs, failed }: ChecksFacts): SkipReason | null {
  if (!isOpen(session.status)) return "ended";
  if (session.automatic?.isOff) return "off";
  if (!isOurs) return "not_ours";
  if (failed.length === 0) return "base_fails";
  if (session.status === "under-review" && trigger.do.underReview !== "resume") return "under_review";
  if (isOutOfAttempts(session, trigger.caps.attempts)) return "cap_attempts";
  return isOverspent(session) ? "cap_spend" : null;
}

/** The reason that a refused message has. Null if the message is to be sent again later. */
export function findRefusedReason(refusal: Refusal): SkipReason | null {
  // A refusal of another object is a copy.
  if (refusal.message === noCredential.message) return "no_credentials";
  switch (refusal.code) {
    case "QUEUE_FULL":
      return "queue_full";
    case "CREDIT_LIMIT_REACHED":
      return "cap_spend";
    case "SESSION_UNDER_REVIEW":
      return "under_review";
    case "CONFLICT":
      return "cap_attempts";
    case "SANDBOX_STARTING":
    case "SESSION_UPDATING":
    case "SESSION_CHANGED":
    case "SESSION_STATUS_CHANGED":
    case "JOB_IN_PROGRESS":
    case "DEPLOY_ACTIVE":
    case "SERVICE_UNAVAILABLE":
      return null;
    default:
      return "refused";
  }
}
