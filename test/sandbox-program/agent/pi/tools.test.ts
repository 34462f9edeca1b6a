// pi's file tools with files that do not fit into the program's memory, and with what is no file.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileAccess } from "../../../../sandbox-program/agent/file-access.ts";
import { createBuiltinTools } from "../../../../sandbox-program/agent/pi/tools.ts";
import { createFolders, type Folders } from "../../../../sandbox-program/folders.ts";

let folders: Folders;
beforeEach(() => {
  folders = createFolders(mkdtempSync(join(tmpdir(), "pi-tools-")));
  mkdirSync(folders.project);
});
afterEach(() => rmSync(folders.root, { recursive: true }));

const place = (path: string) => join(folders.project, path);

/** Writes a file whose end is a hole. */
function writeLarge(path: string, { start, bytes }: { start: string; bytes: number }): void {
  writeFileSync(place(path), start);
  truncateSync(place(path), bytes);
}

async function run(name: string, input: object): Promise<string> {
  const tools = createBuiltinTools(folders, ["read", "edit"], { writes: true }, () => {
    throw new Error("No turn runs.");
  });
  const [tool] = tools.filter((one) => one.name === name);
  const context = { cwd: folders.project };
  const result = await tool?.execute("call", input, undefined, undefined, context as never);
  return result?.content.map((block) => (block.type === "text" ? block.text : block.type)).join() ?? "";
}

test("a text that is longer than any string is read line by line", async () => {
  writeLarge("large.log", { start: "one\ntwo\nthree\n", bytes: 560 * 1_024 * 1_024 });
  expect(await run("read", { path: "large.log", offset: 2, limit: 1 })).toMatch(/^two\n/);
});

test("a large file is refused where it is needed as a whole", async () => {
  writeLarge("large.log", { start: "one\n", bytes: 33 * 1_024 * 1_024 });
  const edit = { path: "large.log", edits: [{ oldText: "one", newText: "two" }] };
  await expect(run("edit", edit)).rejects.toThrow("large.log is larger than 32 MiB");
});

test.each([
  ["a pipe", () => void execFileSync("mkfifo", [place("odd")])],
  ["a folder", () => mkdirSync(place("odd"))],
])("%s is not read", async (_, make) => {
  make();
  await expect(run("read", { path: "odd" })).rejects.toThrow("Not a file: odd");
});

test("an empty file is read, and a file of the program is not", async () => {
  writeFileSync(place("empty"), "");
  expect(await run("read", { path: "empty" })).toBe("");
  writeFileSync(join(folders.state, "secret"), "secret");
  const pieces = createFileAccess(folders).streamFile(join(folders.state, "secret"));
  await expect(pieces[Symbol.asyncIterator]().next()).rejects.toThrow("EACCES");
});
