// Waiters: calls that wait for a turn to end, or for a steer to be taken or returned. They are lost when the object restarts.

import { within } from "../../src/lib/timeout.ts";

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
      await within(ending.promise, waitMs);
    },
    settle(id) {
      waiting.get(id)?.resolve();
      waiting.delete(id);
    },
  };
}
