// A cut-off: work that is waited for no longer than a signal lets it, whether what does the work heeds the signal or not.

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
