// The saves of a stop: the work of all running sandboxes is saved before their host ends. The
// service continues meanwhile, so a sandbox may change or start while others are saved.
import { setTimeout } from "node:timers/promises";

export interface SavableSandboxes {
  /** The keys of those that run or start. */
  list(): Promise<string[]>;
  /** Saves the work of one. False if some of it may be only on its disk. */
  save(key: string): Promise<boolean>;
}

/** The time limits, in milliseconds. */
export interface SaveWaits {
  first: number;
  /** For saving again what may have changed during the first round. */
  second: number;
  /** A save that is older than this at the end of the first round is repeated. */
  fresh: number;
}

/** systemd kills what has not ended after 90 seconds. */
const stopWaits: SaveWaits = { first: 60_000, second: 15_000, fresh: 1_000 };

/** Saves all sandboxes. Returns the keys of those whose work may be only on their disks. */
export async function saveSandboxes({ list, save }: SavableSandboxes, waits = stopWaits): Promise<string[]> {
  const savedAt = new Map<string, number>();
  const saving = new Map<string, Promise<unknown>>();

  function start(key: string): void {
    const saved = save(key)
      .then((isSaved) => isSaved && savedAt.set(key, Date.now()))
      .catch(() => {})
      .finally(() => saving.delete(key));
    saving.set(key, saved);
  }

  async function wait(waitMs: number): Promise<void> {
    const timer = new AbortController();
    const timeout = setTimeout(waitMs, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all(saving.values()), timeout]);
    timer.abort();
  }

  for (const key of await list()) start(key);
  await wait(waits.first);
  const freshSince = Date.now() - waits.fresh;
  for (const key of await list()) {
    if (saving.has(key) || (savedAt.get(key) ?? 0) > freshSince) continue;
    savedAt.delete(key);
    start(key);
  }
  await wait(waits.second);
  return (await list()).filter((key) => !savedAt.has(key));
}
