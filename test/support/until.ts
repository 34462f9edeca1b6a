// Waits for a condition. The timeout is generous, because only a failing test uses it up.
import { setTimeout as sleep } from "node:timers/promises";

const timeoutMs = 300_000;
const pauseMsMin = 20;
const pauseMsMax = 250;

/** Calls `find` until it returns a value, and returns the value. Throws after the timeout. */
export async function until<Found>(
  what: string,
  find: () => Found | undefined | null | false | Promise<Found | undefined | null | false>,
): Promise<Found> {
  const startedAt = Date.now();
  while (Date.now() - startedAt < timeoutMs) {
    const found = await find();
    if (found !== undefined && found !== null && found !== false) return found;
    await pauseSince(startedAt);
  }
  throw new Error(`Waited in vain for ${what}.`);
}

/**
 * Pauses for a fifth of the time so far, because frequent polling would slow down the awaited work.
 */
export async function pauseSince(startedAt: number): Promise<void> {
  await sleep(Math.min(Math.max((Date.now() - startedAt) / 5, pauseMsMin), pauseMsMax));
}
