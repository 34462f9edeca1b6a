// The conditions on the body of a call as lines of text.
import { expect, test } from "vitest";
import { formatConditions, parseConditions } from "../../console/src/project/trigger-conditions.ts";

test.each([
  ["alert.status is firing", { path: "alert.status", is: "firing" }],
  ["alert.level is 3", { path: "alert.level", is: 3 }],
  ['alert.level is "3"', { path: "alert.level", is: "3" }],
  ["alert.closedAt is null", { path: "alert.closedAt", is: null }],
  ['alert.status is ""', { path: "alert.status", is: "" }],
  ["text has the board is empty", { path: "text", has: "the board is empty" }],
  ['alert.level in ["high",3,null]', { path: "alert.level", in: ["high", 3, null] }],
  ["alert.id exists", { path: "alert.id", exists: true }],
  ["alert.id exists false", { path: "alert.id", exists: false }],
  ["a name is firing", { path: "a name", is: "firing" }],
])("%s", (line, condition) => {
  expect(parseConditions(` ${line}\n\n`)).toEqual({ conditions: [condition], mistakes: [] });
  expect(formatConditions([condition])).toBe(line);
});

test("values of a list may be written with commas", () => {
  const { conditions } = parseConditions("alert.level in high, 3");
  expect(conditions).toEqual([{ path: "alert.level", in: ["high", 3] }]);
});

test.each([
  "alert.status",
  "alert.status is",
  "is firing",
  "alert.id exists perhaps",
  'alert is {"a":1}',
  "a in [[1]]",
])("%s is no condition", (line) => {
  expect(parseConditions(`${line}\nid exists`)).toEqual({
    conditions: [{ path: "id", exists: true }],
    mistakes: [line],
  });
});
