// Endings: whoever waits, within one life of an object, for a turn to end.

import { within } from "./patience.ts";

export interface Endings {
  /** Settles when the turn ends, or after `waitMs`. */
  wait(turnId: string, waitMs: number): Promise<void>;
  tell(turnId: string): void;
}

export function createEndings(): Endings {
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  return {
    async wait(turnId, waitMs) {
      const ending = waiting.get(turnId) ?? Promise.withResolvers<void>();
      waiting.set(turnId, ending);
      await within(ending.promise, waitMs);
    },
    tell(turnId) {
      waiting.get(turnId)?.resolve();
      waiting.delete(turnId);
    },
  };
}
