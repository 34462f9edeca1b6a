// The folders of a sandbox that an earlier program began.
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openFolders } from "../../sandbox-program/folders.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "folders-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("files of an earlier version are shared with the agent again, under the paths in conversations", () => {
  mkdirSync(join(root, "state/attachments/a1"), { recursive: true });
  writeFileSync(join(root, "state/attachments/a1/notes.txt"), "notes");
  const { shared } = openFolders(root);
  openFolders(root);
  expect(readFileSync(join(shared, "attachments/a1/notes.txt"), "utf8")).toBe("notes");
  expect(readFileSync(join(root, "state/attachments/a1/notes.txt"), "utf8")).toBe("notes");
  expect(lstatSync(join(root, "state/attachments")).isSymbolicLink()).toBe(true);
  expect(lstatSync(join(root, "state/logs"), { throwIfNoEntry: false })).toBeUndefined();
});
