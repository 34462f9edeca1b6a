// Error texts that are safe to log. The message of a failed database statement contains its parameters (share link slugs, prompts, email
// addresses, key hashes), so it is left out.

/** The message of an error; for a failed statement, the message of its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!tellsValues(error)) return error.message;
  return error.cause === undefined ? "a statement failed" : reasonOf(error.cause);
}

/** The stack trace of an error; for a failed statement, that of its cause. */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!tellsValues(error)) return error.stack ?? error.message;
  return error.cause === undefined ? reasonOf(error) : traceOf(error.cause);
}

/** Recognized by its text: an error that crosses a Durable Object call loses its class, and often its cause. */
const tellsValues = ({ message }: Error) => message.startsWith("Failed query: ");
