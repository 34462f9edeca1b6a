// Calls that fail because their object was moved or got new code: a deployment resets every object,
// whose calls under way fail.
import { isOverloaded, isPassing, reasonOf } from "../lib/error-text.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";

const wait = {
  ...refuse("SERVICE_UNAVAILABLE", "The service is being updated or very busy. Send this again in a moment."),
  retryAfterSeconds: 1,
};

/**
 * Tries a call once more if the platform says that this helps. Only for what may be done twice, as
 * the first try may have been carried out: a read, and a write that its object knows again by its
 * Idempotency-Key. Refused with 503 where it did not help; the same call may be sent again.
 */
export async function repeatedCall<Result>(call: (isAgain: boolean) => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await call(false);
  } catch (error) {
    if (!isPassing(error)) throw error;
    // One that is overloaded is not asked again: that would load it more.
    if (isOverloaded(error)) return later(error);
  }
  try {
    return await call(true);
  } catch (error) {
    if (!isPassing(error)) throw error;
    return later(error);
  }
}

/** True for the refusal of a call that may have been carried out all the same. */
export function isUndecided(outcome: unknown): boolean {
  return outcome === wait;
}

function later(error: unknown): Refusal {
  console.error("a call is left to its sender:", reasonOf(error));
  return wait;
}
