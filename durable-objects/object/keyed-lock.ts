// Patience: waiting for something no longer than so long, without keeping the object awake for the rest of the time; and waiting in line.

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

/** Does one thing after the other of those under one key. */
export function oneAtATime(): <Result>(key: string, act: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, Promise<void>>();
  return async (key, act) => {
    while (underWay.has(key)) await underWay.get(key);
    const acting = act();
    const settle = () => void underWay.delete(key);
    underWay.set(key, acting.then(settle, settle));
    return await acting;
  };
}
