// The matcher of a plugin's hook: a list of names, or a pattern. Patterns are untrusted, so each is
// compiled to a small state machine that reads a name once. The engine's own regular expressions
// backtrack, which takes forever for some patterns.

const listed = /^[\w\s|,-]*$/;
const matcherCharactersMax = 200;

/**
 * True if a matcher can be read: names, or a pattern without counts, look-arounds and
 * back-references.
 */
export function isMatcher(matcher: string): boolean {
  if (matcher.length > matcherCharactersMax) return false;
  return matcher === "*" || listed.test(matcher) || readPattern(matcher) !== null;
}

/** True if a matcher matches one of these names. An unreadable matcher matches none. */
export function isMatched(matcher: string | null, names: readonly string[]): boolean {
  if (matcher === null || matcher.trim() === "" || matcher === "*") return true;
  if (matcher.length > matcherCharactersMax) return false;
  if (listed.test(matcher)) return matcher.split(/[|,]/).some((name) => names.includes(name.trim()));
  const pattern = readPattern(matcher);
  return pattern !== null && names.some((name) => matches(pattern, name));
}

type IsChar = (char: string) => boolean;

/**
 * A step of the machine: it consumes a character, tests a position between characters, branches, or
 * accepts.
 */
type Step =
  | { type: "char"; is: IsChar; next: number }
  | { type: "place"; is: (before: string, after: string) => boolean; next: number }
  | { type: "split"; next: number; other: number }
  | { type: "end" };

interface Pattern {
  steps: Step[];
  first: number;
}

/**
 * Adds the steps of a part of a pattern before the step that follows it. Returns the first of them.
 */
type Part = (steps: Step[], next: number) => number;

const isWord: IsChar = (char) => /^\w$/.test(char);
const isDigit: IsChar = (char) => /^\d$/.test(char);
const isSpace: IsChar = (char) => /^\s$/.test(char);
const classes: Record<string, IsChar> = {
  w: isWord,
  d: isDigit,
  s: isSpace,
  W: (char) => !isWord(char),
  D: (char) => !isDigit(char),
  S: (char) => !isSpace(char),
};

/**
 * Simulates all steps at the same time, so each character is read once per step, whatever the
 * pattern.
 */
function matches({ steps, first }: Pattern, name: string): boolean {
  let reached: number[] = [];
  for (let at = 0; ; at++) {
    const [before, after] = [name[at - 1] ?? "", name[at] ?? ""];
    const seen = new Set<number>();
    // A match may start at every character.
    const waiting = [...reached, first];
    reached = [];
    for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
      if (seen.has(step)) continue;
      seen.add(step);
      const now = steps[step];
      if (now === undefined || now.type === "end") return true;
      if (now.type === "split") waiting.push(now.next, now.other);
      else if (now.type === "place") {
        if (now.is(before, after)) waiting.push(now.next);
      } else if (after !== "" && now.is(after)) reached.push(now.next);
    }
    if (after === "") return false;
  }
}

/** Returns null for a text that is not a pattern, or that uses more syntax than names need. */
function readPattern(text: string): Pattern | null {
  let at = 0;

  function choice(): Part | null {
    let whole = sequence();
    while (whole !== null && text[at] === "|") {
      at += 1;
      const [one, other]: [Part, Part | null] = [whole, sequence()];
      whole =
        other && ((steps, next) => add(steps, { type: "split", next: one(steps, next), other: other(steps, next) }));
    }
    return whole;
  }

  function sequence(): Part | null {
    const parts: Part[] = [];
    while (at < text.length && text[at] !== "|" && text[at] !== ")") {
      const part = repeated();
      if (part === null) return null;
      parts.push(part);
    }
    return (steps, next) => parts.reduceRight((following, part) => part(steps, following), next);
  }

  function repeated(): Part | null {
    const one = single();
    const mark = text[at] ?? "";
    if (one === null || !"*+?".includes(mark) || mark === "") return one;
    at += 1;
    // A lazy quantifier changes where a match ends, not whether there is one.
    if (text[at] === "?") at += 1;
    return (steps, next) => {
      if (mark === "?") return add(steps, { type: "split", next: one(steps, next), other: next });
      const split = { type: "split" as const, next, other: next };
      const again = add(steps, split);
      split.next = one(steps, again);
      return mark === "*" ? again : split.next;
    };
  }

  function single(): Part | null {
    const char = text[at++] ?? "";
    switch (char) {
      case "(": {
        if (text.startsWith("?:", at)) at += 2;
        else if (text[at] === "?") return null;
        const inner = choice();
        return inner !== null && text[at++] === ")" ? inner : null;
      }
      case "[":
        return parseClass();
      case "^":
        return place((before) => before === "");
      case "$":
        return place((_, after) => after === "");
      case ".":
        return charPart((one) => one !== "\n");
      case "\\":
        return escaped();
      default:
        return "*+?{})]".includes(char) ? null : charPart((one) => one === char);
    }
  }

  function escaped(): Part | null {
    const char = text[at++] ?? "";
    if (char === "b") return place((before, after) => isWord(before) !== isWord(after));
    const is = findClass(char);
    return is && charPart(is);
  }

  function parseClass(): Part | null {
    const isNot = text[at] === "^";
    if (isNot) at += 1;
    const among: IsChar[] = [];
    while (text[at] !== "]") {
      const from = text[at++];
      if (from === undefined) return null;
      if (from === "\\") {
        const is = findClass(text[at++] ?? "");
        if (is === null) return null;
        among.push(is);
      } else if (text[at] === "-" && text[at + 1] !== "]") {
        const to = text[at + 1] ?? "";
        if (to < from || to === "\\") return null;
        at += 2;
        among.push((char) => from <= char && char <= to);
      } else among.push((char) => char === from);
    }
    at += 1;
    return among.length === 0 ? null : charPart((char) => among.some((is) => is(char)) !== isNot);
  }

  const part = choice();
  if (part === null || at < text.length) return null;
  const steps: Step[] = [{ type: "end" }];
  return { first: part(steps, 0), steps };
}

/** The class of an escaped character; null if its meaning is unknown here. */
function findClass(char: string): IsChar | null {
  const known = Object.hasOwn(classes, char) ? classes[char] : undefined;
  if (known) return known;
  return char === "" || isWord(char) ? null : (one) => one === char;
}

const charPart =
  (is: IsChar): Part =>
  (steps, next) =>
    add(steps, { type: "char", is, next });

const place =
  (is: (before: string, after: string) => boolean): Part =>
  (steps, next) =>
    add(steps, { type: "place", is, next });

function add(steps: Step[], step: Step): number {
  return steps.push(step) - 1;
}
