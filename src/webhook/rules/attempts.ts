// When a delivery is tried, and when its endpoint is disabled.
import type { DisabledReason } from "./status.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses before the attempts of a delivery: ten attempts in about 76 hours. */
export const attemptPausesMs = [
  ...[0, 5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
];
/** By how much of itself a pause may be shorter or longer, so that retries spread out. */
const jitter = 0.1;
/** The most deliveries that wait at an endpoint. */
export const waitingMax = 10_000;
/** The pause of a webhook whose receiver asks for patience, if it does not say how long. */
const holdMs = 5 * second;
const longestHoldMs = 30 * minute;

/** The outcome of one attempt. */
export interface Attempt {
  /** When it began, in milliseconds since the epoch. */
  at: number;
  milliseconds: number;
  /** Null without an answer. */
  status: number | null;
  /** Why it failed, in words; null if it succeeded. */
  error: string | null;
  /** The first KiB of the answer; null without one. */
  answer: string | null;
  /** The answer's `Retry-After` in milliseconds; null without one. */
  retryAfterMs: number | null;
}

/** Any answer from 200 to 299 means that the receiver has the event. A redirect does not. */
export const isDelivered = ({ status }: Pick<Attempt, "status">) => status !== null && status >= 200 && status < 300;

/**
 * When a delivery is tried again after `attempts` attempts; null if that was the last one.
 * `Retry-After` may lengthen the pause up to the next longer one. `random` is from 0 to 1.
 */
export function findNextAttemptAt(
  attempts: number,
  { retryAfterMs }: Pick<Attempt, "retryAfterMs">,
  { now, random }: { now: number; random: number },
): number | null {
  const pause = attemptPausesMs[attempts];
  if (pause === undefined) return null;
  const longest = attemptPausesMs[attempts + 1] ?? pause;
  const spread = pause * (1 + jitter * (2 * random - 1));
  return now + Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, longest)));
}

/** Until when nothing is sent after an answer that asks for patience; null for any other. */
export function findHoldUntil({ status, retryAfterMs }: Attempt, now: number): number | null {
  if (status !== 429 && status !== 502 && status !== 504) return null;
  return now + Math.min(Math.max(retryAfterMs ?? holdMs, holdMs), longestHoldMs);
}

/**
 * Why a webhook is disabled after a failed attempt; null if it stays. `isLast` is true for the last
 * attempt of a delivery, `succeededSince` if any delivery succeeded since its first attempt.
 */
export function findDisabledReason(
  { status }: Pick<Attempt, "status">,
  { isLast, succeededSince }: { isLast: boolean; succeededSince: boolean },
): DisabledReason | null {
  if (status === 410) return "gone";
  return isLast && !succeededSince ? "failing" : null;
}

/** Reads `Retry-After`, in seconds or as a date. Null for anything else. */
export function readRetryAfter(text: string | null, now: number): number | null {
  if (text === null || text.length > 40) return null;
  if (/^\d+$/.test(text)) return Number(text) * second;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
