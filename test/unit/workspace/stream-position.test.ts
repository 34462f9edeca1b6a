// The id of an event in the stream over several workspaces.
import { expect, test } from "vitest";
import { formatPosition, parsePosition } from "../../../src/workspace/rules/stream-position.ts";

const ids = ["ws_a", "ws_b", "ws_c"];

test.each([[[1, 2, 3]], [[null, 20, null]], [[null, null, null]]])("%j is read as it was written", (positions) => {
  expect(parsePosition(ids, formatPosition(ids, positions))).toEqual(positions);
});

test.each([
  [null],
  ["12"],
  [""],
  ["x.1.2.3"],
  [formatPosition(["ws_a", "ws_b"], [1, 2])],
  [formatPosition(["ws_a", "ws_b", "ws_d"], [1, 2, 3])],
  [`${formatPosition(ids, [1, 2, 3])}.4`],
  [formatPosition(ids, [null, null, null]).replaceAll(".", ".-1")],
])("%s is no position of theirs", (eventId) => {
  expect(parsePosition(ids, eventId)).toEqual([null, null, null]);
});
