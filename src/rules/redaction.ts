// Redacts secrets, in whole texts and in streams where a secret may be split between two pieces.
export interface Redaction {
  whole(text: string): string;
  /** Redacts a text that may end within a secret. */
  cut(text: string): string;
  /** Redacts every text within a value. */
  value<Value>(value: Value): Value;
  stream(): RedactedStream;
  /** Redacts these secrets too, from now on. */
  add(secrets: readonly string[]): void;
}

export interface RedactedStream {
  /** Returns the text that is safe to show. The start of a possible secret is withheld. */
  push(piece: string): string;
  /** Returns the text that was withheld. */
  flush(): string;
}

const placeholder = "[redacted]";
/** Shorter values occur in ordinary text, so they are not redacted. */
const shortestSecretCharacters = 6;

/** Creates a redaction of these secrets. */
export function createRedaction(secrets: readonly string[]): Redaction {
  let hidden = listHidden(secrets);

  const whole = (text: string) => hidden.reduce((shown, secret) => shown.replaceAll(secret, placeholder), text);

  function deep(input: unknown): unknown {
    if (typeof input === "string") return whole(input);
    if (Array.isArray(input)) return input.map(deep);
    if (typeof input !== "object" || input === null) return input;
    return Object.fromEntries(Object.entries(input).map(([key, item]) => [whole(key), deep(item)]));
  }
  // Only texts change, so the type stays the same.
  const value = <Value>(input: Value): Value => (hidden.length === 0 ? input : (deep(input) as Value));

  function stream(): RedactedStream {
    let held = "";
    return {
      push(piece) {
        const text = held + piece;
        const end = shownLength(text, hidden);
        held = text.slice(end);
        return whole(text.slice(0, end));
      },
      flush() {
        const rest = whole(held);
        held = "";
        return rest;
      },
    };
  }

  return {
    whole,
    cut(text) {
      const pieces = stream();
      const shown = pieces.push(text);
      const rest = pieces.flush();
      return shown + (rest.length < shortestSecretCharacters ? rest : placeholder);
    },
    value,
    stream,
    add(more) {
      hidden = listHidden([...hidden, ...more]);
    },
  };
}

/** The secrets that are redacted, the longest first. */
function listHidden(secrets: readonly string[]): string[] {
  return [...new Set(secrets)]
    .filter((secret) => secret.length >= shortestSecretCharacters)
    .sort((left, right) => right.length - left.length);
}

/**
 * The length of the text that is safe to show: no secret that starts in it ends later or is still
 * incomplete.
 */
function shownLength(text: string, secrets: readonly string[]): number {
  let end = text.length - possibleStartLength(text, secrets);
  for (let before = -1; before !== end; ) {
    before = end;
    for (const secret of secrets) {
      const at = text.indexOf(secret, Math.max(0, end - secret.length + 1));
      if (at >= 0 && at < end) end = at;
    }
  }
  return end;
}

/** The number of characters at the end of the text that may be the start of a secret. */
function possibleStartLength(text: string, secrets: readonly string[]): number {
  let longest = 0;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(secret.slice(0, length))) {
        longest = length;
        break;
      }
    }
  }
  return longest;
}
