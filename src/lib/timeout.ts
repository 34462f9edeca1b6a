// Timeouts and waits. A pending timer would keep a Durable Object in memory, so it is cleared once
// the work is done.

/**
 * Waits, or until the signal aborts. It also works in Node, which has no global `scheduler`.
 */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, signal?.aborted ? 0 : ms);
  signal?.addEventListener("abort", () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Runs work with a signal that aborts after `waitMs`. */
export async function withDeadline<Result>(
  waitMs: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), waitMs);
  try {
    return await work(timeout.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of a promise, or `late` after `waitMs`. */
export async function withTimeout<Value>(promise: Promise<Value>, waitMs: number): Promise<Value | "late"> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), Math.max(0, waitMs));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Settles with the work or after `waitMs`, whichever comes first. Settles immediately if there is
 * no work.
 */
export async function waitAtMost(work: Promise<unknown> | null, waitMs: number): Promise<void> {
  if (work !== null) await withTimeout(work, waitMs);
}

/**
 * True if the work is done within `waitMs`. False if it is not done by then or if it fails; a
 * failure is logged as `failure`.
 */
export async function isDoneWithin(
  work: Promise<unknown>,
  waitMs: number,
  logFailure: (error: unknown) => void,
): Promise<boolean> {
  let isDone = false;
  const settled = work.then(
    () => {
      isDone = true;
    },
    (error: unknown) => logFailure(error),
  );
  await waitAtMost(settled, waitMs);
  return isDone;
}

/**
 * Settles with the promise, or throws the signal's reason as soon as the signal aborts, even if the
 * promise itself ignores the signal.
 */
export async function withAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
