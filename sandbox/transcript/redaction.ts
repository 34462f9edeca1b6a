// Keeping secrets out of what people read: whole texts, and texts that come in pieces with a secret split across them.
export interface Redaction {
  whole(text: string): string;
  /** Every text within a value. */
  value<Value>(value: Value): Value;
  stream(): RedactedStream;
}

export interface RedactedStream {
  /** What may be shown by now; the start of a possible secret is held back. */
  push(piece: string): string;
  /** What was held back to the end. */
  flush(): string;
}

const placeholder = "[redacted]";
/** Shorter values occur in ordinary text and are no secrets worth the name. */
const shortestSecretCharacters = 6;

/** Redacts these secrets. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const hidden = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortestSecretCharacters)
    .sort((left, right) => right.length - left.length);

  const whole = (text: string) => hidden.reduce((shown, secret) => shown.replaceAll(secret, placeholder), text);

  function deep(input: unknown): unknown {
    if (typeof input === "string") return whole(input);
    if (Array.isArray(input)) return input.map(deep);
    if (typeof input !== "object" || input === null) return input;
    return Object.fromEntries(Object.entries(input).map(([key, item]) => [whole(key), deep(item)]));
  }
  // The shape stays what it was: only texts change.
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

  return { whole, value, stream };
}

/** How much of the text may be shown: neither a secret that ends behind it nor one that may yet be completed begins in it. */
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

/** How many characters at the end of the text could begin a secret. */
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
