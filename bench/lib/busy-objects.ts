// Measures how long objects are busy: with calls, alarms, messages and effects.
import { addTo, type Counts } from "./counts.ts";

/** The running work of each object: how much, and since when. */
const busy = new Map<string, { open: number; since: number }>();

/** The number of objects with running work. */
export function countBusyObjects(): number {
  return busy.size;
}

/**
 * Runs something that keeps an object awake. Time is counted once, however much work runs in an
 * object at the same time.
 */
export function withBusyObject<Result>(objectName: string, all: Counts[], work: () => Result): Result {
  const one = busy.get(objectName) ?? { open: 0, since: Date.now() };
  one.open += 1;
  busy.set(objectName, one);
  const end = () => {
    one.open -= 1;
    if (one.open > 0) return;
    busy.delete(objectName);
    addTo(all)("objectBusyMs", Date.now() - one.since);
  };
  const result = work();
  if (isThenable(result)) result.then(end, end);
  else end();
  return result;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (typeof value === "object" || typeof value === "function") && value !== null && "then" in value;
}
