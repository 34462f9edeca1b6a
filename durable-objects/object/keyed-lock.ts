// A keyed lock: work under one key runs one at a time, in the order in which it came. Work under other keys is not held up.

export type KeyedLock = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates a lock whose keys are all free. */
export function createKeyedLock(): KeyedLock {
  const held = new Map<string, Promise<void>>();
  return async (key, work) => {
    while (held.has(key)) await held.get(key);
    const working = work();
    const release = () => void held.delete(key);
    held.set(key, working.then(release, release));
    return await working;
  };
}
