// The known name that somebody most likely meant.
import { expect, test } from "vitest";
import { findNearestName } from "../../../src/rules/nearest-name.ts";

const known = ["page", "pageSize", "model", "content", "runningJobId", "id"];

test.each([
  ["a letter too few", "modl", "model"],
  ["a letter too many", "contents", "content"],
  ["another letter", "madel", "model"],
  ["two letters swapped", "modle", "model"],
  ["another case", "pagesize", "pageSize"],
  ["words with a dash between", "running-job-id", "runningJobId"],
  ["the nearer of two", "pagse", "page"],
])("%s", (_, written, meant) => {
  expect(findNearestName(written, known)).toBe(meant);
});

test.each([
  ["another word", "colour"],
  ["a short name, which is near to anything", "x"],
  ["nothing", ""],
  ["a long name", "model".repeat(100)],
])("%s has no near name", (_, written) => {
  expect(findNearestName(written, known)).toBe(null);
});

test("an empty list has no near name", () => {
  expect(findNearestName("model", [])).toBe(null);
});
