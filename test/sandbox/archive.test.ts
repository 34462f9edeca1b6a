// The archive: what a sandbox holds when it pauses is what it holds when it wakes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { type Program, removeProgramFile, secret, startProgram } from "./support/program.ts";
import { startWorld, type World } from "./support/world.ts";

let world: World;
let fresh: Program;
beforeEach(async () => {
  [world, fresh] = await Promise.all([startWorld(), startProgram()]);
});
afterEach(async () => {
  await Promise.all([world?.end(), fresh?.remove()]);
});
afterAll(removeProgramFile);

const authorization = `Bearer ${secret}`;
const download = async () =>
  Buffer.from(await (await world.program.raw("/archive", { headers: { authorization } })).arrayBuffer());
const restore = (body: Buffer) => fresh.raw("/archive", { method: "PUT", headers: { authorization }, body });

/** Every file under the archived folders with its mode and content. */
async function inventory(root: string): Promise<string[]> {
  const lines: string[] = [];
  for (const folder of ["project", "state", "home"]) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const { mode } = await lstat(path);
      const content = entry.isSymbolicLink() ? await readlink(path) : entry.isFile() ? hash(await readFile(path)) : "";
      lines.push(`${relative(root, path)} ${(mode & 0o7777).toString(8)} ${content}`);
    }
  }
  return lines.sort();
}
const hash = (content: Buffer) => createHash("sha256").update(content).digest("hex");

test("an archive brings everything back byte for byte: modes, links, the index, ignored and unsaved work, conversations", async () => {
  const project = join(world.program.root, "project");
  await mkdir(join(project, "node_modules/tool/bin"), { recursive: true });
  await mkdir(join(project, "empty"));
  await writeFile(join(project, ".gitignore"), "node_modules/\n");
  await writeFile(join(project, "node_modules/tool/bin/run"), "#!/bin/sh\n", { mode: 0o755 });
  await symlink("tool/bin/run", join(project, "node_modules/run"));
  await symlink("/nowhere/at/all", join(project, "dangling"));
  await writeFile(join(project, "ünï cødé.bin"), Buffer.from([0, 1, 2, 255]));
  await writeFile(join(project, "staged.txt"), "staged\n");
  execFileSync("git", ["add", "staged.txt"], { cwd: project });
  await chmod(join(project, "README.md"), 0o600);
  await writeFile(join(world.program.root, "home/.profile"), "x=1\n");
  await writeFile(join(world.program.root, "tmp/lost"), "not kept");
  const conversation = { id: "talk", isNew: true, handover: null };
  const first = await world.runTurn([{ bash: "echo hi" }, { say: "one" }], { conversation });
  await first.service.ended();
  await expect
    .poll(async () => (await lstat(join(world.program.root, "state/turns", `${first.start.turnId}.jsonl`))).size)
    .toBe(0);

  const before = await inventory(world.program.root);
  const status = execFileSync("git", ["status", "--porcelain=v2", "--branch"], { cwd: project, encoding: "utf8" });
  const answer = await restore(await download());
  expect(answer.status).toBe(204);
  expect(await inventory(fresh.root)).toEqual(before);
  expect(
    execFileSync("git", ["status", "--porcelain=v2", "--branch"], {
      cwd: join(fresh.root, "project"),
      encoding: "utf8",
    }),
  ).toBe(status);
  expect(await readdir(join(fresh.root, "tmp"))).not.toContain("lost");

  const { start, service } = await world.newTurn([{ say: "two" }], { conversation: { ...conversation, isNew: false } });
  expect((await fresh.call("POST", "/turns", start)).status).toBe(202);
  expect(await service.ended()).toEqual({ status: "completed" });
});

test("a broken archive is refused and leaves the sandbox as it was", async () => {
  const archive = await download();
  const broken = [archive.subarray(0, archive.length / 2), Buffer.from("not an archive"), Buffer.alloc(0)];
  for (const body of broken) {
    const answer = await restore(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: "ARCHIVE_UNREADABLE" });
  }
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
  expect((await restore(archive)).status).toBe(204);
});

test("an archive is not restored over a checkout", async () => {
  const archive = await download();
  expect((await restore(archive)).status).toBe(204);
  expect((await restore(archive)).status).toBe(400);
});
