// The state of an object in memory, so that it is read from storage only once.

export interface CachedState<State> {
  /** The state; null if there is none. */
  find(): State | null;
  /** Notes the state that was stored. */
  set(state: State | null): void;
  /** Discards the state: the next `find` reads it from storage. */
  invalidate(): void;
}

/** Creates the cache of what `load` reads. */
export function createCachedState<State>(load: () => State | null): CachedState<State> {
  let known: State | null | undefined;
  return {
    find() {
      if (known === undefined) known = load();
      return known;
    },
    set(state) {
      known = state;
    },
    invalidate() {
      known = undefined;
    },
  };
}
