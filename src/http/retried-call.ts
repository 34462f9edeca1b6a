// Repeats calls that fail because their object was moved or got new code: a deployment resets every
// object, and the calls in progress fail.
import { log } from "../lib/log.ts";
import { callTwice, isTemporary } from "../lib/retry.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

const later = {
  ...refuse("SERVICE_UNAVAILABLE", "The service is being updated or very busy. Send this again in a moment."),
  retryAfterSeconds: 1,
};

/**
 * Repeats a call once if the platform says that this helps. Only for calls that are safe to repeat,
 * because the first attempt may have been carried out: a read, or a write that its object
 * recognizes by its Idempotency-Key. If the repeat fails too, the result is a 503, and the same
 * call may be sent again.
 */
export async function withRetry<Result>(call: (isAgain: boolean) => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await callTwice(call);
  } catch (error) {
    if (!isTemporary(error)) throw error;
    log.warn("object_call.undecided", { error });
    return later;
  }
}

/** True for the refusal of a call that may nevertheless have been carried out. */
export function isUndecided(outcome: unknown): boolean {
  return outcome === later;
}
