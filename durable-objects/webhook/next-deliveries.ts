// The deliveries that a webhook tries next, which are read some at a time.
import type { DeliveryRow, DeliveryStore } from "./store.ts";

/** A body has at most 20 KB. */
const readTogether = 32;

export interface NextDeliveries {
  /**
   * Adds new deliveries, which saves reading them. False if they have to be read, because failed
   * ones come after them, or because more are due than are kept here.
   */
  add(added: readonly DeliveryRow[]): boolean;
  /** Returns the next one and forgets it; null if nothing else is due. */
  take(atWork: ReadonlySet<string>): DeliveryRow | null;
  /** Forgets what was read, because it is no longer what is due. */
  clear(): void;
}

/** Creates the queue of the deliveries in a store. */
export function createNextDeliveries(store: Pick<DeliveryStore, "listDue">): NextDeliveries {
  let next: DeliveryRow[] = [];
  /** True if all that is due is at work or in `next`, until something else becomes due. */
  let isComplete = false;

  return {
    add(added) {
      const isNext = isComplete && next.length + added.length <= readTogether && next.every(({ tries }) => tries === 0);
      if (isNext) next.push(...added);
      return isNext;
    },
    take(atWork) {
      if (next.length === 0 && !isComplete) {
        next = store.listDue([...atWork], Date.now(), readTogether);
        isComplete = next.length < readTogether;
      }
      return next.shift() ?? null;
    },
    clear() {
      next = [];
      isComplete = false;
    },
  };
}
