// The names of tools for plugins, also of tools named like a property of every JavaScript object.
import { expect, test } from "vitest";
import { listToolNames, toPublishedName } from "../../../src/plugin/rules/tool-names.ts";

test.each([
  ["edit", "Edit", ["edit", "Edit", "MultiEdit"]],
  ["sync_branch", "sync_branch", ["sync_branch"]],
  ["constructor", "constructor", ["constructor"]],
  ["toString", "toString", ["toString"]],
  ["__proto__", "__proto__", ["__proto__"]],
])("the tool %s", (tool, shown, names) => {
  expect([toPublishedName(tool), listToolNames(tool)]).toEqual([shown, names]);
});
