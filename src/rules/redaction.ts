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
const shortestLineCharacters = 16;
/** Each text is searched for all of them. */
const linesMax = 2_000;

/** Creates a redaction of these secrets. */
export function createRedaction(secrets: readonly string[]): Redaction {
  let known = secrets;
  let hidden = listHidden(known);

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
      known = [...known, ...more];
      hidden = listHidden(known);
    },
  };
}

/**
 * The texts that are redacted, the longest first: secrets, also without the space around them and
 * as JSON has them, and their lines, because a diff or another indent divides a key. Lines are
 * those of the shortest secrets first: a key is shorter than a document.
 */
function listHidden(secrets: readonly string[]): string[] {
  const sorted = [...secrets].sort((left, right) => left.length - right.length);
  const forms = sorted.flatMap((secret) => [secret, secret.trim(), JSON.stringify(secret.trim()).slice(1, -1)]);
  // Some variables hold the line breaks of a key as two characters.
  const lines = sorted.flatMap((secret) => secret.split(/[\r\n]|\\[rn]/).map((line) => line.trim()));
  const longLines = lines.filter((line) => line.length >= shortestLineCharacters).slice(0, linesMax);
  return [...new Set([...forms, ...longLines])]
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
    const first = secret.charAt(0);
    let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
    while (at >= 0 && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
    if (at >= 0) longest = Math.max(longest, text.length - at);
  }
  return longest;
}
