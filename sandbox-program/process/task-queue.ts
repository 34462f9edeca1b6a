// A queue of tasks that must not overlap.

export type Queue = <Result>(run: () => Promise<Result>) => Promise<Result>;

/** Creates a queue. It runs tasks one at a time, in order. A failed task does not stop the next. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => {});
    return next;
  };
}
