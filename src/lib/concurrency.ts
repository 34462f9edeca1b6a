// Work on many things, few at a time. An invocation may make a limited number of calls at once.

/**
 * Does something with each, at most so many at a time. One that fails stops no other: `failed`
 * receives it.
 */
export async function inLanes<Thing>(
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
