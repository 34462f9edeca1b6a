// The outcome of a run of a trigger: what it did, or why it did nothing.
import { deliveryTriedMs } from "../../code-host/rules/webhook.ts";
import type { Refusal, RefusalCode } from "../../rules/refusal.ts";
import { isOutOfAttempts, isOverspent, noCredential } from "../../session/rules/automatic.ts";
import type { Session } from "../../session/rules/session.ts";
import { isOpen, type SessionStatus } from "../../session/rules/status.ts";
import type { Trigger } from "./trigger.ts";

export const outcomes = ["sent", "started", "filed", "skipped"] as const;
export const skipReasons = [
  ...["cap_day", "cap_attempts", "cap_spend", "base_fails", "not_ours", "under_review", "ended"],
  ...["queue_full", "no_credentials", "refused", "backlog", "duplicate", "fork", "off", "filters"],
  "interrupted",
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** A call without a response for so long has broken off, in milliseconds. */
export const brokenOffMs = 60_000;

interface RunFacts {
  outcome: (typeof outcomes)[number] | null;
  /** Null only for a call of another program. */
  url: string | null;
  createdAt: number;
  /** The status of its session; null if there is no session. */
  sessionStatus: SessionStatus | null;
}

/**
 * The end of a call that broke off, as lists show it; null for every other run. A repeat of the
 * call still continues it, so it is not stored.
 */
export function findBrokenOffEnd(
  { outcome, url, createdAt, sessionStatus }: RunFacts,
  now: number,
): { outcome: (typeof outcomes)[number]; reason: SkipReason | null } | null {
  if (outcome !== null || url !== null || createdAt > now - brokenOffMs) return null;
  if (sessionStatus === null) return { outcome: "skipped", reason: "interrupted" };
  return { outcome: sessionStatus === "backlog" ? "filed" : "started", reason: null };
}

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

/** What ends the run of a refused message. Other codes that are not of `passing` are `refused`. */
const ends: Partial<Record<RefusalCode, SkipReason>> = {
  QUEUE_FULL: "queue_full",
  CREDIT_LIMIT_REACHED: "cap_spend",
  SESSION_UNDER_REVIEW: "under_review",
  CONFLICT: "cap_attempts",
};

/** The codes of what others use for now. A test has a row for each code of `passing`. */
const waiting: readonly RefusalCode[] = [
  ...(["JOB_IN_PROGRESS", "JOB_ACTIVE", "COMMAND_IN_FLIGHT", "CRON_RUN_STARTING", "SESSION_UPDATING"] as const),
  ...(["SESSION_STATUS_CHANGED", "SESSION_CHANGED", "SANDBOX_LIMIT_REACHED", "SANDBOX_STARTING"] as const),
  ...(["DEPLOY_ACTIVE", "TOO_MANY_REQUESTS"] as const),
];

/** The codes of something temporary. */
const passing: readonly RefusalCode[] = [...waiting, "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"];

/** Whether a message that is sent again later only waits, for example for a sandbox. */
export const isWaiting = ({ code }: Refusal): boolean => waiting.includes(code);

/**
 * The reason that a refused message has. Null if the message is to be sent again later, which it is
 * as long as events of the code host are tried. `waitedMs` is the time since its first try.
 */
export function findRefusedReason({ code, message }: Refusal, waitedMs = 0): SkipReason | null {
  // A refusal of another object is a copy.
  if (message === noCredential.message) return "no_credentials";
  return passing.includes(code) && waitedMs < deliveryTriedMs ? null : (ends[code] ?? "refused");
}
