// Reads the query of a request: each parameter is a text, or a list of texts if it is repeated.
import * as z from "zod";

/** Reads a query for validation by a schema. */
export function toQueryValues(url: URL): Record<string, string | string[]> {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const [first = "", ...others] = url.searchParams.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

/** A parameter that is `true` or `false`. `unsent` is its value if it is omitted. */
export function flag(unsent = false) {
  return z
    .enum(["true", "false"])
    .default(unsent ? "true" : "false")
    .transform((text) => text === "true");
}

/** A parameter that may be repeated. Repeating any other parameter is refused. */
export function repeatable<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item));
}
