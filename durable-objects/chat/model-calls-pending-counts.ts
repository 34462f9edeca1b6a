// Counts of answered model calls that wait for a moment, so that the end of an answer waits for no storage. Whoever reads counts has them made
// first.
import { reasonOf } from "../../src/error-text.ts";

export interface PendingCounts {
  /** Has `count` called soon, or when somebody is about to read counts. */
  later(count: () => void): void;
  /** Makes what is pending. To be called outside of a decision. */
  flush(): void;
}

/** Nothing is pending. */
export function openPendingCounts(ctx: Pick<DurableObjectState, "waitUntil">): PendingCounts {
  let pending: (() => void)[] = [];

  function flush(): void {
    const counts = pending;
    pending = [];
    for (const count of counts) {
      try {
        count();
      } catch (error) {
        // Who told of the call asks whether it was counted, and tells it again.
        console.error("a model call is not counted yet", reasonOf(error));
      }
    }
  }

  return {
    later(count) {
      pending.push(count);
      if (pending.length === 1) ctx.waitUntil(scheduler.wait(0).then(flush));
    },
    flush,
  };
}
