// Error texts that are safe to log. The message of a failed database statement contains its
// parameters (share link slugs, prompts, email addresses, key hashes), so it is omitted. Texts are
// cut to a useful length.

/** The message of an error; for a failed statement, the message of its cause. */
export function getErrorMessage(error: unknown): string {
  return cut(wholeReason(error), reasonCharacters);
}

/** The stack trace of an error; for a failed statement, the stack trace of its cause. */
export function getStackTrace(error: unknown): string {
  if (!(error instanceof Error) || (hasValues(error) && error.cause === undefined)) return getErrorMessage(error);
  return hasValues(error) ? getStackTrace(error.cause) : cut(error.stack ?? error.message, traceCharacters);
}

// The text may come from a sandbox or from another server, so its length is limited.
const reasonCharacters = 2_000;
const traceCharacters = 8_000;

function wholeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!hasValues(error)) return error.message;
  return error.cause === undefined ? "a statement failed" : wholeReason(error.cause);
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

/**
 * Such an error is recognized by its text: an error that crosses a Durable Object call loses its
 * class, and often its cause.
 */
const hasValues = ({ message }: Error) => message.startsWith("Failed query: ");
