// The lines of review comments: in the current files, and in the base.
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
beforeEach(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
});
afterEach(() => world?.end());

async function texts(...anchors: [path: string, side: "old" | "new", start: number, end: number][]) {
  const asked = anchors.map(([filePath, side, startLineNumber, endLineNumber]) => {
    return { filePath, side, startLineNumber, endLineNumber };
  });
  return (await world.program.call("POST", "/git/lines", { base: "main", anchors: asked })).body?.texts;
}

test("are of the file on the new side and of the base on the old side", async () => {
  const [before] = (await texts(["README.md", "old", 1, 1])) as string[];
  expect(await texts(["README.md", "new", 1, 1])).toEqual([before]);
  await writeFile(join(project, "README.md"), "one\r\ntwo\nthree");
  const commit = { message: "change", author: { name: "Ada", email: "ada@example.test" } };
  expect((await world.program.call("POST", "/git/commit", commit)).status).toBe(200);
  const read = await texts(
    ["README.md", "new", 1, 2],
    ["README.md", "new", 3, 9],
    ["README.md", "new", 4, 4],
    ["README.md", "old", 1, 1],
  );
  expect(read).toEqual(["one\r\ntwo", "three", "", before]);
});

test("are of the file before its rename on the old side", async () => {
  const before = await texts(["README.md", "old", 1, 1]);
  await rename(join(project, "README.md"), join(project, "renamed.md"));
  expect(await texts(["renamed.md", "old", 1, 1])).toEqual(before);
});

test("are empty if the file is deleted, and null if they are unknown", async () => {
  await rm(join(project, "README.md"));
  await writeFile(join(project, "empty"), "\n");
  await writeFile(join(project, "binary"), Buffer.from([0, 1, 2]));
  const read = await texts(
    ["README.md", "new", 1, 1],
    ["never-was", "old", 1, 1],
    ["empty", "new", 1, 1],
    ["binary", "new", 1, 1],
    ["nul\0", "old", 1, 1],
    [".git/config", "new", 1, 1],
    ["../outside", "old", 1, 1],
    [".", "new", 1, 1],
  );
  expect(read).toEqual(["", "", "\n", null, null, null, null, null]);
});

test("are cut to the limit of a comment", async () => {
  await writeFile(join(project, "long"), "l".repeat(1_000_000));
  const [text] = (await texts(["long", "new", 1, 1])) as string[];
  expect(text?.length).toBe(40_001);
});

test("are not read at what is no anchor", async () => {
  for (const anchors of ["all", [null], [{ filePath: "a", side: "new", startLineNumber: 0, endLineNumber: 1 }]]) {
    expect((await world.program.call("POST", "/git/lines", { base: "main", anchors })).status).toBe(400);
  }
});
