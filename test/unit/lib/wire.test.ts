import { expect, test } from "vitest";
import { wellFormedText } from "../../../src/lib/wire.ts";

test.each([
  ["a whole pair", "🚂", true],
  ["the first half of a pair", "\ud83d", false],
  ["the second half of a pair, after a text", "board \ude82", false],
  ["its greatest length", "a".repeat(20), true],
  ["more than its greatest length", "a".repeat(21), false],
])("a text with %s", (_, text, isTaken) => {
  expect(wellFormedText(20).safeParse(text).success).toBe(isTaken);
});
