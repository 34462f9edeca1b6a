// What is saved of a sandbox whose folders were moved about: everything but what may be lost, and a
// project that is a link to something else is refused with the reason.
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeLines } from "../../support/tree-hash.ts";
import { type Program, secret, startProgram } from "../support/program.ts";
import { makeBase, saveWork, wake } from "../support/saved-work.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let fresh: Program;
let root: string;
beforeEach(async () => {
  [world, fresh] = await Promise.all([startWorld(), startProgram()]);
  root = world.program.root;
});
afterEach(async () => {
  await Promise.all([world?.end(), fresh?.remove()]);
});

/** The project is elsewhere, with uncommitted work, and a link leads there. */
function moveProject(place: string, link = place): void {
  writeFileSync(join(root, "project/page.html"), "important\n");
  renameSync(join(root, "project"), join(root, place));
  symlinkSync(link, join(root, "project"));
}

const checkOut = () => fresh.call("PUT", "/checkout", world.checkout);

test.each([
  ["beside it", "project2"],
  ["in the home", "home/project"],
])("a project that is a symbolic link to a folder %s is restored with its content", async (_, place) => {
  moveProject(place);
  const folders = ["project", "home", "state", ...(place === "project2" ? [place] : [])];
  const before = treeLines(root, folders);
  await wake(fresh, await saveWork(world.program), null);
  expect(await checkOut()).toMatchObject({ status: 200 });
  expect(treeLines(fresh.root, folders)).toEqual(before);
  expect(readFileSync(join(fresh.root, "project/page.html"), "utf8")).toBe("important\n");
});

test("everything next to the project is saved, also on a base, with any name, except caches", async () => {
  writeFileSync(join(root, "in-base"), "in the base");
  const base = await makeBase(world.program, "base-1");
  mkdirSync(join(root, "notes"));
  writeFileSync(join(root, "notes/one"), "one");
  writeFileSync(join(root, "removed"), "a file of this name");
  writeFileSync(join(root, "tmp/lost"), "may be lost");
  renameSync(join(root, "project"), join(root, "project2"));
  const before = treeLines(root, ["in-base", "notes", "removed", "project2"]);
  await wake(fresh, await saveWork(world.program, "base-1"), base);
  expect(treeLines(fresh.root, ["in-base", "notes", "removed", "project2"])).toEqual(before);
  expect(existsSync(join(fresh.root, "tmp/lost"))).toBe(false);
  // The project is then checked out again, and its old folder stays beside it.
  expect(await checkOut()).toMatchObject({ status: 200 });
  expect(treeLines(fresh.root, ["project2"])).toEqual(treeLines(root, ["project2"]));
});

test.each([
  ["what may be lost", () => moveProject("tmp/project2")],
  [
    "outside of the sandbox",
    () => {
      renameSync(join(root, "project"), join(root, "project2"));
      symlinkSync(tmpdir(), join(root, "project"));
    },
  ],
])("a project that is a link to %s is not saved, and it is said why", async (_, move) => {
  move();
  const answer = await world.program.raw("/archive", { headers: { authorization: `Bearer ${secret}` } });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toEqual({
    code: "UNSAVABLE",
    message: expect.stringMatching(/^project is a link to \/.*, which is not saved\.$/),
  });
});

test("a project that is a broken symbolic link is saved unchanged, and checked out again", async () => {
  moveProject("project2", "nowhere");
  await wake(fresh, await saveWork(world.program), null);
  expect(await checkOut()).toMatchObject({ status: 200 });
  expect(existsSync(join(fresh.root, "project/README.md"))).toBe(true);
  expect(readFileSync(join(fresh.root, "project2/page.html"), "utf8")).toBe("important\n");
});
