// Failures of a call to an object that pass: the object was moved, or got new code. The platform tells them by properties of the error.

/** True where the platform says that a second try may help. */
export const isPassing = (error: unknown) => error instanceof Error && "retryable" in error && error.retryable === true;

/** True where the object has too much to do: a second try would load it more. */
export const isOverloaded = (error: unknown) =>
  error instanceof Error && "overloaded" in error && error.overloaded === true;

/** Tries a call once more after a failure that passes. Only for what may be done twice, as the first try may have been carried out. */
export async function triedAgain<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isPassing(error) || isOverloaded(error)) throw error;
  }
  return await call();
}
