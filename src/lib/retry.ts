// Temporary failures of calls to objects, which the platform reports as properties of the error.

/** True for the failure of a call to an object that was moved or got new code. */
export const isTemporary = (error: unknown) =>
  error instanceof Error && "retryable" in error && error.retryable === true;

/** True if the object is overloaded: a second attempt would add to its load. */
const isOverloaded = (error: unknown) => error instanceof Error && "overloaded" in error && error.overloaded === true;

/**
 * Repeats a call once after a temporary failure. Only for calls that are safe to repeat, because
 * the first attempt may have been carried out.
 */
export async function callTwice<Result>(call: (isAgain: boolean) => Promise<Result>): Promise<Result> {
  try {
    return await call(false);
  } catch (error) {
    if (!isTemporary(error) || isOverloaded(error)) throw error;
  }
  return await call(true);
}
