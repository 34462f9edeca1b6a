// Timeouts that do not keep the object awake once the work is done.

/**
 * Settles with the work or after `waitMs`, whichever comes first. Settles immediately if there is
 * no work.
 */
export async function waitAtMost(work: Promise<unknown> | null, waitMs: number): Promise<void> {
  if (work === null) return;
  const timer = new AbortController();
  const timeout = scheduler.wait(waitMs, { signal: timer.signal }).catch(() => undefined);
  try {
    await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
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
