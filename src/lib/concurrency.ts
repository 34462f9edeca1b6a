// Runs work on many things, a few at a time, because an invocation may make only a limited number
// of concurrent calls.

/**
 * Runs `work` for each thing, with limited concurrency. A failure does not stop the others;
 * `failed` receives it.
 */
export async function runInLanes<Thing>(
  things: readonly Thing[],
  lanes: number,
  work: (thing: Thing) => Promise<unknown>,
  failed: (thing: Thing, error: unknown) => void,
): Promise<void> {
  const waiting = things[Symbol.iterator]();
  const lane = async () => {
    for (const thing of waiting) await work(thing).catch((error: unknown) => failed(thing, error));
  };
  await Promise.all(Array.from({ length: Math.min(lanes, things.length) }, lane));
}
