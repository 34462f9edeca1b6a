// A queue of things to do that must not overlap.

export type Queue = <Result>(run: () => Promise<Result>) => Promise<Result>;

/** Runs one thing after another, in the order they are asked for; one that fails holds up none behind it. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run, run);
    last = next.catch(() => {});
    return next;
  };
}
