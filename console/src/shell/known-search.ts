// What of an address a route knows.

/** What an address says after its `?`, as the router reads it. */
type Raw = Record<string, unknown>;

/**
 * A route's `validateSearch` by what it reads. The router puts what was read over what is in the
 * address, so it would leave a value that the route does not know.
 */
export const onlyKnown =
  <Search extends object>(read: (raw: Raw) => Search) =>
  (raw: Raw): Search => ({
    ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])),
    ...read(raw),
  });
