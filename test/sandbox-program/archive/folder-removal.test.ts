// A folder is deleted whatever a sandbox has made of it.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deleteFolder } from "../../../sandbox-program/archive/folder-removal.ts";
import { createDeepFolders } from "../support/deep-folders.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "removal-"));
});
afterEach(() => execFileSync("rm", ["-rf", folder]));

const shell = (script: string) => execFileSync("sh", ["-c", script], { cwd: folder });

test.each([
  ["read-only folders", () => shell("mkdir -p there/a/b && touch there/a/b/c && chmod -R a-w there")],
  ["folders that are too deep for a path", () => createDeepFolders(join(folder, "there"))],
])("with %s, all of it is deleted", async (_, create) => {
  create();
  await deleteFolder(join(folder, "there"));
  expect(existsSync(join(folder, "there"))).toBe(false);
});

test("a link is deleted, and what it leads to stays as it is", async () => {
  shell("mkdir -p outside/a && chmod a-w outside && ln -s outside there");
  await deleteFolder(join(folder, "there"));
  expect(existsSync(join(folder, "there"))).toBe(false);
  expect(shell("stat -c %A outside").toString()).toBe("dr-xr-xr-x\n");
  shell("chmod u+w outside");
});
