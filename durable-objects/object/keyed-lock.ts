// A keyed lock: work under one key runs one at a time, in the order in which it arrived. Work under
// other keys is not delayed.
import { waitAtMost } from "../../src/lib/timeout.ts";

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

/**
 * Waiters: calls that wait for a turn to end, or for a steer to be taken or returned. They are lost
 * when the object restarts.
 */
export interface Waiters {
  /** Waits until `settle` is called with this id, at most `waitMs`. */
  wait(id: string, waitMs: number): Promise<void>;
  settle(id: string): void;
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  return {
    async wait(id, waitMs) {
      const ending = waiting.get(id) ?? Promise.withResolvers<void>();
      waiting.set(id, ending);
      await waitAtMost(ending.promise, waitMs);
    },
    settle(id) {
      waiting.get(id)?.resolve();
      waiting.delete(id);
    },
  };
}
