// The names of tools for plugins, also of tools that have the name of something every JavaScript
// object has.
import { expect, test } from "vitest";
import { namesOf, publishedName } from "../../../src/plugin/rules/tool-names.ts";

test.each([
  ["edit", "Edit", ["edit", "Edit", "MultiEdit"]],
  ["sync_branch", "sync_branch", ["sync_branch"]],
  ["constructor", "constructor", ["constructor"]],
  ["toString", "toString", ["toString"]],
  ["__proto__", "__proto__", ["__proto__"]],
])("the tool %s", (tool, shown, names) => {
  expect([publishedName(tool), namesOf(tool)]).toEqual([shown, names]);
});
