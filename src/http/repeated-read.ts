// Reads that fail because their object was moved or got new code: a deployment resets every object, whose calls under way fail.

/** Tries a read once more if the platform says that this helps. Only for what changes nothing: the first try may have been carried out. */
export async function repeatedRead<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return await read();
  }
}

/** An overloaded object is not asked again: that would load it more. */
function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}
