// Repeats: a request that starts work may carry an Idempotency-Key, and under the same key and body it gets the first answer again
// (decisions, "Chat sessions").
import { idempotencyKeyLifetimeMs } from "./limits.ts";
import { type Refusal, refuse } from "./refusal.ts";

export interface Idempotency {
  /** Names the caller, the route and the key they chose. */
  key: string;
  /** Stands for the body, whatever the order of its fields. */
  bodyHash: string;
}

/** The oldest time of a first request that a repeat can still mean. */
export function oldestRepeatable(now: number): number {
  return now - idempotencyKeyLifetimeMs;
}

/** Refuses a key that came with another body before. */
export function checkRepeat(first: Pick<Idempotency, "bodyHash">, repeat: Idempotency): Refusal | null {
  return first.bodyHash === repeat.bodyHash ? null : refuse("IDEMPOTENCY_KEY_REUSED");
}
