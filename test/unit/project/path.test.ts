import { expect, it } from "vitest";
import { isWithinProject } from "../../../src/project/rules/check-settings.ts";

it.each([
  ["", true],
  [".", true],
  ["apps/web", true],
  ["..web", true],
  ["/", false],
  ["/etc", false],
  ["..", false],
  ["apps/../..", false],
  ["apps/..", false],
  ["a\0b", false],
])("%j is within the project: %s", (path, expected) => {
  expect(isWithinProject(path)).toBe(expected);
});
