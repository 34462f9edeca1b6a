// Why something failed, as it may stand in a log. What a statement to a database failed with tells its values too: slugs of share links,
// prompts, addresses, hashes of keys. Those stay out.

/** The error's own words; of a statement that failed, the database's words and none of its values. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!tellsValues(error)) return error.message;
  return error.cause === undefined ? "a statement failed" : reasonOf(error.cause);
}

/** Where it failed as well, as far as that can be told without a value. */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!tellsValues(error)) return error.stack ?? error.message;
  return error.cause === undefined ? reasonOf(error) : traceOf(error.cause);
}

/** Known by its text: an error that comes from an object has lost its class, and often its cause. */
const tellsValues = ({ message }: Error) => message.startsWith("Failed query: ");
