// Stops waiting for work when a signal aborts, even if the work itself ignores the signal.

/** Settles with the work, or throws the signal's reason as soon as it is aborted. */
export async function unlessCutOff<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const cut = Promise.withResolvers<never>();
  const onAbort = () => cut.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([work, cut.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
