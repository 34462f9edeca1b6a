// The parts of a snippet, with its matches.
import { expect, test } from "vitest";
import { splitSnippet } from "../../console/src/session/snippet.ts";

const show = (snippet: string, marks: number[][]) =>
  splitSnippet(snippet, marks)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join("|");

test.each([
  ["no match", [], "no match"],
  ["all", [[0, 3]], "[all]"],
  [
    "one and two",
    [
      [0, 3],
      [8, 11],
    ],
    "[one]| and |[two]",
  ],
  [
    "onetwo",
    [
      [0, 3],
      [3, 6],
    ],
    "[one]|[two]",
  ],
  [
    "one",
    [
      [0, 3],
      [1, 2],
      [2, 9],
    ],
    "[one]",
  ],
  ["", [], ""],
])("%j with %j", (snippet, marks, shown) => {
  expect(show(snippet, marks)).toBe(shown);
});
