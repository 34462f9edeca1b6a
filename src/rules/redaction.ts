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

  const whole = (text: string) => hide(text, listParts(text, hidden)).shown;

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
    /** The length of what is held and belongs to secrets that are redacted already. */
    let covered = 0;
    function showUntil(end: number, text: string): string {
      const parts = listParts(text, hidden).filter(({ start }) => start < end);
      const { shown, hiddenTo } = hide(text.slice(0, end), parts, covered);
      held = text.slice(end);
      covered = Math.max(0, hiddenTo - end);
      return shown;
    }
    return {
      push(piece) {
        const text = held + piece;
        return showUntil(text.length - possibleStartLength(text, hidden), text);
      },
      flush: () => showUntil(held.length, held),
    };
  }

  return {
    whole,
    cut(text) {
      const parts = listParts(text, hidden);
      const start = text.length - possibleStartLength(text, hidden);
      const isShown = text.length - start < shortestSecretCharacters;
      return hide(text, isShown ? parts : sortParts([...parts, { start, end: text.length }])).shown;
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
 * The texts that are redacted: secrets, also without the space around them and as JSON has them,
 * and their lines, because a diff or another indent divides a key. Lines are those of the shortest
 * secrets first: a key is shorter than a document.
 */
function listHidden(secrets: readonly string[]): string[] {
  const sorted = [...secrets].sort((left, right) => left.length - right.length);
  const forms = sorted.flatMap((secret) => [secret, secret.trim(), JSON.stringify(secret.trim()).slice(1, -1)]);
  // Some variables hold the line breaks of a key as two characters.
  const lines = sorted.flatMap((secret) => secret.split(/[\r\n]|\\[rn]/).map((line) => line.trim()));
  const longLines = lines.filter((line) => line.length >= shortestLineCharacters).slice(0, linesMax);
  return [...new Set([...forms, ...longLines])].filter((secret) => secret.length >= shortestSecretCharacters);
}

/** A part of a text, without the character at its end. */
interface Part {
  start: number;
  end: number;
}

const sortParts = (parts: Part[]) => parts.sort((left, right) => left.start - right.start);

/** The parts of the text that are secrets, by their start. They may overlap. */
function listParts(text: string, secrets: readonly string[]): Part[] {
  return sortParts(secrets.flatMap((secret) => listPartsOf(text, secret)));
}

/** The parts that are one secret. Where it overlaps itself, all of it is one part. */
function listPartsOf(text: string, secret: string): Part[] {
  const parts: Part[] = [];
  for (let start = text.indexOf(secret); start >= 0; ) {
    let end = start + secret.length;
    // The last one that overlaps is enough, so that a long run is not searched at every character.
    for (let last = start; ; end = last + secret.length) {
      const next = text.lastIndexOf(secret, end - 1);
      if (next === last) break;
      last = next;
    }
    parts.push({ start, end });
    start = text.indexOf(secret, end);
  }
  return parts;
}

/**
 * The text with a placeholder for each part, or for parts that overlap. Its first `covered`
 * characters have their placeholder already.
 */
function hide(text: string, parts: readonly Part[], covered = 0): { shown: string; hiddenTo: number } {
  let shown = "";
  let hiddenTo = covered;
  for (const { start, end } of parts) {
    if (start >= hiddenTo) shown += text.slice(hiddenTo, start) + placeholder;
    hiddenTo = Math.max(hiddenTo, end);
  }
  return { shown: shown + text.slice(hiddenTo), hiddenTo };
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
