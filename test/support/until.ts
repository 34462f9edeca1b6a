// Waiting for something to become so. The patience is generous, because only a test that fails uses it up.
import { setTimeout as sleep } from "node:timers/promises";

const patienceMs = 50_000;
const pauseMs = 20;

/** What `find` finds once it finds something. */
export async function until<Found>(
  what: string,
  find: () => Found | undefined | null | false | Promise<Found | undefined | null | false>,
): Promise<Found> {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const found = await find();
    if (found !== undefined && found !== null && found !== false) return found;
    await sleep(pauseMs);
  }
  throw new Error(`Waited in vain for ${what}.`);
}
