// Idempotency: a request that starts work may carry an Idempotency-Key. A repeat with the same key
// and body gets the first response (decisions, "Chat sessions").
import { idempotencyKeyLifetimeMs } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";

export interface Idempotency {
  /** The caller, the route and the Idempotency-Key in one text. */
  key: string;
  /** A hash of the body, independent of the order of its fields. */
  bodyHash: string;
}

/** Returns the time before which first requests have expired, in milliseconds since the epoch. */
export function getOldestRepeatable(now: number): number {
  return now - idempotencyKeyLifetimeMs;
}

/** Refuses a key that was used with another body. */
export function checkRepeat(first: Pick<Idempotency, "bodyHash">, repeat: Idempotency): Refusal | null {
  return first.bodyHash === repeat.bodyHash ? null : refuse("IDEMPOTENCY_KEY_REUSED");
}
