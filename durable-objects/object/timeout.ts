// A timeout that does not keep the object awake once the work is done.

/** Settles with the work, or after `waitMs`, whichever comes first. */
export async function within(work: Promise<unknown>, waitMs: number): Promise<void> {
  const timer = new AbortController();
  const timeout = scheduler.wait(waitMs, { signal: timer.signal }).catch(() => undefined);
  try {
    await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}
