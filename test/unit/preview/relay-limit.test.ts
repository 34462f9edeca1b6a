// How much the WebSockets of a sandbox relay in a short time.
import { expect, test } from "vitest";
import { createByteWindow, createRelayLimits } from "../../../src/preview/rules/relay-limit.ts";
import { previewRelayBytes as most, previewRelayMs } from "../../../src/rules/limits.ts";

type Message = [bytes: number, at: number, fits: boolean];

test.each<[what: string, messages: Message[]]>([
  ["a message of the whole limit fits", [[most, 5, true]]],
  [
    "a larger one does not, and is not counted",
    [
      [most + 1, 5, false],
      [most, 5, true],
    ],
  ],
  [
    "messages count together",
    [
      [most - 1, 5, true],
      [2, 6, false],
      [1, 6, true],
      [1, 6, false],
    ],
  ],
  [
    "an empty message fits into a full window",
    [
      [most, 5, true],
      [0, 5, true],
    ],
  ],
  [
    "a window ends in time",
    [
      [most, 5, true],
      [1, 4 + previewRelayMs, false],
      [most, 5 + previewRelayMs, true],
    ],
  ],
  [
    "the next one starts with a message",
    [
      [most, 5, true],
      [most, 9 + previewRelayMs, true],
      [1, 8 + 2 * previewRelayMs, false],
      [1, 9 + 2 * previewRelayMs, true],
    ],
  ],
])("%s", (_, messages) => {
  const fits = createByteWindow();
  expect(messages.map(([bytes, at]) => fits(bytes, at))).toEqual(messages.map(([, , isRelayed]) => isRelayed));
});

test("the directions of a sandbox have windows of their own", () => {
  const { toService, toVisitor } = createRelayLimits();
  expect([toService(most, 5), toVisitor(most, 5), toService(1, 5)]).toEqual([true, true, false]);
});
