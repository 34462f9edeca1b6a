// Patience: waiting for something no longer than so long, without keeping the object awake for the rest of the time.

/** Settles with the work, or after `waitMs`, whichever comes first. */
export async function within(work: Promise<unknown>, waitMs: number): Promise<void> {
  const patience = new AbortController();
  const over = scheduler.wait(waitMs, { signal: patience.signal }).catch(() => undefined);
  try {
    await Promise.race([work, over]);
  } finally {
    patience.abort();
  }
}
