// A read that several callers share.

/** Creates a function that calls `make` the first time, and returns its result every time. */
export function createSharedRead<Result>(make: () => Result): () => Result {
  let made: { result: Result } | null = null;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}
