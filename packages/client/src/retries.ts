// Which failed calls are made again, and after how long. A call is repeated only if that cannot do
// something twice.
import type { SwitchyardError } from "./errors.ts";

/** How a call may be repeated. */
export type Repeatability = "read" | "repeatable" | "once";

const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A service that asks for a longer pause than this is not waited for. */
const longestRetryAfterMs = 120_000;
/** Refusals that end by themselves within seconds, and that changed nothing. */
const passing = new Set(["SANDBOX_STARTING", "SESSION_UPDATING", "CRON_RUN_STARTING", "JOB_IN_PROGRESS"]);
const broken = new Set([500, 502, 503, 504]);

/** The pause before a try: half of it is random, so that clients do not come back together. */
export function getBackoffMs(failures: number, random: () => number = Math.random): number {
  const wholeMs = Math.min(firstWaitMs * 2 ** Math.max(0, failures - 1), longestWaitMs);
  return wholeMs * (0.5 + random() / 2);
}

/**
 * How a call may be repeated. A POST may be if it has an Idempotency-Key. A GET with `markSeen` may
 * not: the next one has the events after those of the lost response.
 */
export function findRepeatability(method: string, hasKey: boolean, query: object = {}): Repeatability {
  if ("markSeen" in query && query.markSeen) return "once";
  if (method === "GET" || method === "HEAD") return "read";
  return method === "PUT" || method === "DELETE" || hasKey ? "repeatable" : "once";
}

/** The pause before a refused call is made again; null if it is not. */
export function findRetryMs(
  { status, failure, retryAfterMs }: SwitchyardError,
  repeatability: Repeatability,
  failures: number,
): number | null {
  const isHarmless = status === 429 || passing.has(failure.code);
  if (!isHarmless && (!broken.has(status) || repeatability === "once")) return null;
  if (retryAfterMs !== null && retryAfterMs > longestRetryAfterMs) return null;
  return Math.max(retryAfterMs ?? 0, status === 429 && retryAfterMs !== null ? 0 : getBackoffMs(failures));
}

/** Waits, unless the signal ends it first. Then it throws the reason of the signal. */
export function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
