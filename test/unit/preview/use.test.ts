// Which messages of a preview's WebSocket are a use of it.
import { expect, test } from "vitest";
import { createRepetitionFilter } from "../../../src/preview/rules/use.ts";

test.each<[what: string, messages: unknown[], areRepeated: boolean[]]>([
  ["the first message is a use, and the same one is none", ["ping", "ping"], [false, true]],
  ["two heartbeats that take turns are none", ["a", "b", "a", "b"], [false, false, true, true]],
  ["each new text is a use", ["a", "b", "c"], [false, false, false]],
  ["bytes are always a use", [new ArrayBuffer(1), new ArrayBuffer(1)], [false, false]],
  ["a text of 256 characters is recognized", ["x".repeat(256), "x".repeat(256)], [false, true]],
  ["a longer one is always a use", ["x".repeat(257), "x".repeat(257)], [false, false]],
])("%s", (_, messages, areRepeated) => {
  const isRepeated = createRepetitionFilter();
  expect(messages.map(isRepeated)).toEqual(areRepeated);
});

test.each([
  [15, true],
  [16, false],
])("a message that is repeated after %d others is recognized: %s", (count, isRecognized) => {
  const isRepeated = createRepetitionFilter();
  isRepeated("ping");
  for (let at = 0; at < count; at++) expect(isRepeated(`message ${at}`)).toBe(false);
  expect(isRepeated("ping")).toBe(isRecognized);
});
