// Waiting for something to become so. The timeout is generous, because only a test that fails uses it up.
import { setTimeout as sleep } from "node:timers/promises";

const timeoutMs = 50_000;
const pauseMsMin = 20;
const pauseMsMax = 250;

/** What `find` finds once it finds something. */
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

/** The pause between two looks, a fifth of the wait so far: many looks would take the processor from what is waited for. */
export async function pauseSince(startedAt: number): Promise<void> {
  await sleep(Math.min(Math.max((Date.now() - startedAt) / 5, pauseMsMin), pauseMsMax));
}
