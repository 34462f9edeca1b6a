// Waiters: whoever waits, within one life of an object, for a turn to end or a steer to be taken or returned.

import { within } from "../object/timeout.ts";

export interface Waiters {
  /** Settles when what has this id ends, or after `waitMs`. */
  wait(id: string, waitMs: number): Promise<void>;
  settle(id: string): void;
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  return {
    async wait(id, waitMs) {
      const ending = waiting.get(id) ?? Promise.withResolvers<void>();
      waiting.set(id, ending);
      await within(ending.promise, waitMs);
    },
    settle(id) {
      waiting.get(id)?.resolve();
      waiting.delete(id);
    },
  };
}
