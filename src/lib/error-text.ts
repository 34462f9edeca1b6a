// Error texts that are safe to log. The message of a failed database statement contains its
// parameters (share link slugs, prompts, email addresses, key hashes), so it is left out. No text
// is longer than a log has use for.

/** The message of an error; for a failed statement, the message of its cause. */
export function reasonOf(error: unknown): string {
  return cut(wholeReason(error), reasonCharacters);
}

/** The stack trace of an error; for a failed statement, that of its cause. */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error) || (tellsValues(error) && error.cause === undefined)) return reasonOf(error);
  return tellsValues(error) ? traceOf(error.cause) : cut(error.stack ?? error.message, traceCharacters);
}

// A sandbox, or a server elsewhere, may have written it.
const reasonCharacters = 2_000;
const traceCharacters = 8_000;

function wholeReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!tellsValues(error)) return error.message;
  return error.cause === undefined ? "a statement failed" : wholeReason(error.cause);
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most)}…` : text);

/**
 * Recognized by its text: an error that crosses a Durable Object call loses its class, and often
 * its cause.
 */
const tellsValues = ({ message }: Error) => message.startsWith("Failed query: ");

// Failures of a call to an object that pass: the object was moved, or got new code. The platform
// tells them by properties of the error.

/** True where the platform says that a second try may help. */
export const isPassing = (error: unknown) => error instanceof Error && "retryable" in error && error.retryable === true;

/** True where the object has too much to do: a second try would load it more. */
export const isOverloaded = (error: unknown) =>
  error instanceof Error && "overloaded" in error && error.overloaded === true;

/**
 * Tries a call once more after a failure that passes. Only for what may be done twice, as the first
 * try may have been carried out.
 */
export async function triedAgain<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!isPassing(error) || isOverloaded(error)) throw error;
  }
  return await call();
}
