// The tree of the project's files: what is in it, what is left out, and that it leads nowhere else.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { FileTree, FileTreeEntry } from "../../../src/sandbox-protocol/checkout-query.ts";
import { startProgram } from "../support/program.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
let tried: string;
beforeAll(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
  tried = join(project, "tried");
});
beforeEach(async () => {
  await rm(tried, { recursive: true, force: true });
  await mkdir(tried);
});
afterAll(() => world?.end());

async function list(): Promise<FileTreeEntry[]> {
  const { status, body } = await world.program.call("GET", "/files");
  expect(status).toBe(200);
  return (body as unknown as FileTree).files;
}

async function listTried(): Promise<FileTreeEntry[]> {
  const folder = (await list()).find(({ name }) => name === "tried");
  return folder?.type === "directory" ? folder.children : [];
}

const names = (entries: FileTreeEntry[]) => entries.map(({ name }) => name);

test("a file has its size and modification time, a folder its children, both their path", async () => {
  await mkdir(join(tried, "inner/empty"), { recursive: true });
  await writeFile(join(tried, "inner/ä.txt"), "äöü");
  const { mtime } = await stat(join(tried, "inner/ä.txt"));
  expect(await listTried()).toEqual([
    {
      name: "inner",
      type: "directory",
      path: "tried/inner",
      children: [
        { name: "empty", type: "directory", path: "tried/inner/empty", children: [] },
        { name: "ä.txt", type: "file", path: "tried/inner/ä.txt", size: 6, lastModified: mtime.toISOString() },
      ],
    },
  ]);
});

const foldersLeftOut = "node_modules .git .next dist build coverage .turbo .cache __pycache__ venv .venv".split(" ");
const filesLeftOut = [".DS_Store", "Thumbs.db"];

test.each(foldersLeftOut)("a folder %s is left out at any depth, and so is a link with its name", async (name) => {
  await mkdir(join(tried, "a", name), { recursive: true });
  await writeFile(join(tried, "a", name, "x"), "x");
  await symlink("a", join(tried, name));
  expect(await listTried()).toEqual([{ name: "a", type: "directory", path: "tried/a", children: [] }]);
});

test("the root of the project does not list them either", async () => {
  expect(names(await list())).not.toContain(".git");
});

test("files of desktop systems are left out", async () => {
  for (const name of filesLeftOut) await writeFile(join(tried, name), "x");
  expect(await listTried()).toEqual([]);
});

test("similar names are listed", async () => {
  const folders = ["Dist", "builds", "node_modules2", ...filesLeftOut];
  const files = [".gitignore", "thumbs.db", ...foldersLeftOut.filter((name) => name !== ".git")];
  for (const name of folders) await mkdir(join(tried, name));
  for (const name of files) await writeFile(join(tried, name), "x");
  expect(names(await listTried())).toEqual([...folders.sort(), ...files.sort()]);
});

test("a symbolic link is a file, whatever its target; other file types are left out", async () => {
  await symlink("../..", join(tried, "up"));
  await symlink(".", join(tried, "loop"));
  await symlink("nowhere", join(tried, "dangling"));
  await symlink("/etc/passwd", join(tried, "passwd"));
  execFileSync("mkfifo", [join(tried, "pipe")]);
  expect(await listTried()).toEqual(
    [
      ["dangling", 7],
      ["loop", 1],
      ["passwd", 11],
      ["up", 5],
    ].map(([name, size]) => ({ name, type: "file", path: `tried/${name}`, size, lastModified: expect.any(String) })),
  );
});

test("names with spaces, quotes and newlines are listed unchanged, and folders precede files", async () => {
  const odd = ["a b", `"quoted'`, "two\nlines", "100%", "日本語", "-dash"];
  for (const name of odd) await writeFile(join(tried, name), "");
  await mkdir(join(tried, "zz"));
  expect(names(await listTried())).toEqual(["zz", ...odd.sort()]);
});

test("a tree of many hundred levels is listed completely", async () => {
  await mkdir(join(tried, "d/".repeat(900)), { recursive: true });
  let [entry] = await listTried();
  let depth = 0;
  while (entry?.type === "directory") {
    depth += 1;
    entry = entry.children[0];
  }
  expect(depth).toBe(900);
});

test.each([
  ["of one byte a character", "n", 9_000],
  ["of two", "日n", 5_000],
])("names %s that are too long together are refused in words, and half of them are listed", async (_, start, most) => {
  const folder = Array.from({ length: 14 }, () => start.padEnd(235, "n")).join("/");
  await mkdir(join(tried, folder), { recursive: true });
  const write = (from: number, to: number) => {
    for (let at = from; at < to; at++) writeFileSync(join(tried, folder, `${start.padEnd(235, "n")}${at}`), "");
  };
  write(0, most / 2);
  await list();
  write(most / 2, most);
  expect(await world.program.call("GET", "/files")).toMatchObject({
    status: 422,
    body: { code: "LIST_TOO_LONG", message: expect.stringContaining("too long together") },
  });
});

test("a sandbox without a checkout has no files to list", async () => {
  const other = await startProgram();
  try {
    expect(await other.call("GET", "/files")).toMatchObject({ status: 409, body: { code: "NO_CHECKOUT" } });
  } finally {
    await other.remove();
  }
});
