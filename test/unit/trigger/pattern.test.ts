import { expect, test } from "vitest";
import { isMatch } from "../../../src/trigger/rules/pattern.ts";

test.each([
  ["main", "main", true],
  ["main", "main2", false],
  ["", "", true],
  ["*", "", true],
  ["*", "any/thing", true],
  ["svc/*", "svc/fix-the-map", true],
  ["svc/*", "feature/svc/x", false],
  ["*-test", "unit-test", true],
  ["*-test", "unit-tests", false],
  ["ci / *", "ci / lint", true],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["a**c", "abc", true],
  ["*x*x*", "x", false],
  ["a.c", "abc", false],
])("%j for %j: %s", (pattern, text, matches) => {
  expect(isMatch(pattern, text)).toBe(matches);
});
