// The query of a request: each parameter is a text, one that comes several times a list of texts.
import * as z from "zod";

/** Reads a query into what a schema looks at. */
export function queryValues(url: URL): Record<string, string | string[]> {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const [first = "", ...others] = url.searchParams.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

/** A parameter that may come several times. Any other one that does is refused. */
export function repeatable<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item));
}
