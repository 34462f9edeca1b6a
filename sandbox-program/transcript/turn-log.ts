// The log of a turn: what the program did for it, line by line, for an owner that stores it.

import type { Redaction } from "../../src/rules/redaction.ts";
import type { TurnEvent } from "../../src/sandbox-protocol/protocol.ts";

/** A longer line is cut. */
const lineCharacters = 2_000;

/**
 * Returns a function that sends one line. Secrets are redacted before a line is cut, so that no
 * part of one is left.
 */
export function createTurnLog(
  isKept: boolean,
  send: (event: TurnEvent) => void,
  redaction: Redaction,
): (line: string) => void {
  return (line) => {
    if (!isKept) return;
    const text = inOneLine(redaction.whole(line));
    const shown = text.length > lineCharacters ? `${text.slice(0, lineCharacters).toWellFormed()}…` : text;
    send({ type: "log", lines: `${new Date().toISOString()} ${shown}\n` });
  };
}

/** Joins lines with a separator. Empty ones are left out. */
function inOneLine(text: string): string {
  const lines = text.split("\n");
  const [first = "", last] = [lines[0], lines.length > 1 ? lines.at(-1) : undefined];
  if (last === undefined) return text;
  const between = lines.slice(1, -1).flatMap((line) => line.trim() || []);
  return [first.trimEnd(), ...between, last.trimStart()].join(" ⏎ ");
}
