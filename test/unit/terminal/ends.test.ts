// When a terminal must end, and what its person reads then.
import { expect, test } from "vitest";
import { findTerminalEnd, type TerminalFacts, terminalEnds } from "../../../src/terminal/rules/ends.ts";

const rows: [promise: string, facts: TerminalFacts | null, end: keyof typeof terminalEnds | null][] = [
  ["of a member in an open session stays", { isOpen: true, isItsSandbox: true }, null],
  ["ends without the member's access", null, "access"],
  ["ends with the session", { isOpen: false, isItsSandbox: true }, "session"],
  ["ends when the session has another sandbox", { isOpen: true, isItsSandbox: false }, "session"],
];

test.each(rows)("a terminal %s", (_, facts, end) => {
  expect(findTerminalEnd(facts)).toEqual(end && terminalEnds[end]);
});

test("every end is a sentence, with a code that a socket may send", () => {
  for (const { code, sentence } of Object.values(terminalEnds)) {
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(code === 1000 || (code >= 1001 && code <= 1014 && ![1004, 1005, 1006].includes(code))).toBe(true);
  }
});
