// Why a workspace was not deleted.
import { expect, test } from "vitest";
import { refuseDeletion } from "../../../src/workspace/rules/deletion.ts";

test.each([
  ["that does not exist", null, "Acme", "NOT_FOUND"],
  ["whose name is in another case", { name: "Acme" }, "acme", "VALIDATION_ERROR"],
  ["whose name has a space", { name: "Acme" }, "Acme ", "VALIDATION_ERROR"],
  ["of somebody else", { name: "Acme" }, "Acme", "FORBIDDEN"],
])("a workspace %s", (_, workspace, name, code) => {
  expect(refuseDeletion(workspace, name).code).toBe(code);
});
