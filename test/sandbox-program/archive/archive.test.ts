// Saved work: a sandbox contains when it wakes what it contained when it paused, whether its work
// is based on a prebuild or saved whole.
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listProcesses, readCommand, signalAll } from "../../support/process-tree.ts";
import { treeHash, treeLines } from "../../support/tree-hash.ts";
import { until } from "../../support/until.ts";
import { createDeepFolders } from "../support/deep-folders.ts";
import { type Program, secret, startProgram } from "../support/program.ts";
import { makeBase, restoreBase, restoreWork, saveUnlessKnown, saveWork, wake } from "../support/saved-work.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let fresh: Program;
const others: Program[] = [];
beforeEach(async () => {
  [world, fresh] = await Promise.all([startWorld(), startProgram()]);
});
afterEach(async () => {
  await Promise.all([world?.end(), fresh?.remove(), ...others.splice(0).map((program) => program.remove())]);
});

async function another(): Promise<Program> {
  const program = await startProgram();
  others.push(program);
  return program;
}

const runGit = (program: Program, ...args: string[]) =>
  execFileSync("git", args, { cwd: join(program.root, "project"), encoding: "utf8" });

/** What git holds besides the files: HEAD, branches, index, stashes and what is changed. */
const listGitFacts = (program: Program) =>
  [
    ["rev-parse", "HEAD"],
    ["symbolic-ref", "HEAD"],
    ["for-each-ref"],
    ["ls-files", "--stage"],
    ["stash", "list"],
    ["status", "--porcelain=v2", "--branch", "--ignored"],
    ["fsck", "--no-progress"],
  ].map((args) => runGit(program, ...args));

/** Everything that is hard to bring back. */
function fill(root: string): void {
  const project = join(root, "project");
  const at = (name: string | Buffer) => Buffer.concat([Buffer.from(`${project}/`), Buffer.from(name)]);
  mkdirSync(join(project, "node_modules/tool/bin"), { recursive: true });
  mkdirSync(join(project, "empty"));
  writeFileSync(join(project, ".gitignore"), "node_modules/\n");
  writeFileSync(join(project, "node_modules/tool/bin/run"), "#!/bin/sh\n", { mode: 0o755 });
  symlinkSync("tool/bin/run", join(project, "node_modules/run"));
  symlinkSync("/nowhere/at/all", join(project, "dangling"));
  symlinkSync(Buffer.from([0xfe, 0xff]), join(project, "dangling-anywhere"));
  writeFileSync(join(project, "ünï cødé.bin"), Buffer.from([0, 1, 2, 255]));
  writeFileSync(join(project, "two\nlines"), "a name of two lines");
  writeFileSync(at(Buffer.from([0x6e, 0xff, 0xfe])), "a name that is no UTF-8");
  mkdirSync(join(project, "d".repeat(200), "e".repeat(200)), { recursive: true });
  writeFileSync(join(project, "d".repeat(200), "e".repeat(200), "f".repeat(200)), "deep");
  writeFileSync(join(project, "nothing"), "");
  writeFileSync(join(project, "large"), Buffer.alloc(3_000_001, "0123456789"));
  linkSync(join(project, "large"), join(project, "large-again"));
  writeFileSync(join(project, "secret"), "for nobody", { mode: 0 });
  mkdirSync(join(project, "closed"));
  writeFileSync(join(project, "closed/inside"), "read-only");
  chmodSync(join(project, "closed/inside"), 0o444);
  chmodSync(join(project, "closed"), 0o555);
  writeFileSync(join(project, "old"), "old");
  utimesSync(join(project, "old"), 1, 1);
  mkdirSync(join(project, "times"));
  // Just after half a millisecond, where a restored time that is slightly too early shows.
  for (let at = 1; at <= 20; at += 1)
    execFileSync("touch", [
      "-d",
      `@${1_700_000_000 + at * 5_000_011}.${100 + at}500000`,
      join(project, "times", `${at}`),
    ]);
  for (const seconds of ["-0.25", "-1.123456789", "-2000000000.5"])
    execFileSync("touch", ["-d", `@${seconds}`, join(project, "times", `before 1970 ${seconds}`)]);
  writeFileSync(join(project, "staged.txt"), "staged\n");
  execFileSync("git", ["add", "staged.txt"], { cwd: project });
  chmodSync(join(project, "README.md"), 0o600);
  writeFileSync(join(root, "home/.profile"), "x=1\n");
  writeFileSync(join(root, "tmp/lost"), "not kept");
}

test("saved work brings everything back byte for byte: modes, links, odd names, the index, ignored and unsaved work, conversations", async () => {
  fill(world.program.root);
  const conversation = { id: "talk", isNew: true, handover: null };
  const first = await world.runTurn([{ bash: "echo hi" }, { say: "one" }], { conversation });
  await first.service.ended();
  const journal = join(world.program.root, "state/turns", `${first.start.turnId}.jsonl`);
  await expect.poll(() => readFileSync(journal, "utf8")).toBe("finished\n");

  const inGit = listGitFacts(world.program);
  const before = treeLines(world.program.root);
  await wake(fresh, await saveWork(world.program), null);
  expect(treeLines(fresh.root)).toEqual(before);
  expect(listGitFacts(fresh)).toEqual(inGit);
  const linked = ["large", "large-again"].map((name) => statSync(join(fresh.root, "project", name)).ino);
  expect(linked[0]).toBe(linked[1]);
  expect(readdirSync(join(fresh.root, "tmp"))).not.toContain("lost");

  const { start, service } = await world.newTurn([{ say: "two" }], { conversation: { ...conversation, isNew: false } });
  expect((await fresh.call("POST", "/turns", start)).status).toBe(202);
  expect(await service.ended()).toEqual({ status: "completed" });
});

test("work beside folders that are too deep for a path is saved", async () => {
  const project = join(world.program.root, "project");
  writeFileSync(join(project, "work"), "work");
  createDeepFolders(join(project, "deep"));
  await wake(fresh, await saveWork(world.program), null);
  expect(readFileSync(join(fresh.root, "project/work"), "utf8")).toBe("work");
  execFileSync("rm", ["-rf", join(project, "deep"), join(fresh.root, "project/deep")]);
});

test("a sparse file takes as little of the disk after a wake, and one of terabytes is not saved", async () => {
  const project = join(world.program.root, "project");
  const mebibyte = 1_024 * 1_024;
  writeFileSync(join(project, "disk.img"), "start");
  truncateSync(join(project, "disk.img"), 32 * mebibyte);
  appendFileSync(join(project, "disk.img"), "middle");
  truncateSync(join(project, "disk.img"), 64 * mebibyte + 5);
  writeFileSync(join(project, "zeros"), Buffer.alloc(700));
  writeFileSync(join(project, "huge.img"), "");
  truncateSync(join(project, "huge.img"), 1_024 ** 4);
  await wake(fresh, await saveWork(world.program), null);
  const restored = (name: string) => join(fresh.root, "project", name);
  expect(statSync(restored("disk.img")).blocks * 512).toBeLessThan(8 * mebibyte);
  expect(readFileSync(restored("disk.img")).equals(readFileSync(join(project, "disk.img")))).toBe(true);
  expect(readFileSync(restored("zeros"))).toEqual(Buffer.alloc(700));
  expect(existsSync(restored("huge.img"))).toBe(false);
});

test("work on a base contains only the differences, and both together restore everything", async () => {
  fill(world.program.root);
  const base = await makeBase(world.program, "base-1");
  const project = join(world.program.root, "project");
  const untouched = await saveWork(world.program, "base-1");
  writeFileSync(join(project, "added"), "added");
  appendFileSync(join(project, "README.md"), "more\n");
  rmSync(join(project, "node_modules/tool"), { recursive: true });
  rmSync(join(project, "empty"), { recursive: true });
  writeFileSync(join(project, "empty"), "a file where a folder was");
  rmSync(join(project, "dangling"));
  mkdirSync(join(project, "dangling/now"), { recursive: true });
  renameSync(join(project, "old"), join(project, "older"));
  chmodSync(join(project, "nothing"), 0o755);
  chmodSync(join(project, "closed/inside"), 0o644);
  writeFileSync(join(project, "closed/inside"), "written in a folder that is closed");
  chmodSync(join(project, "closed/inside"), 0o444);
  execFileSync("git", ["stash", "push", "--quiet", "README.md"], { cwd: project });
  const inGit = listGitFacts(world.program);
  const before = treeLines(world.program.root);
  const work = await saveWork(world.program, "base-1");
  expect(untouched.length).toBeLessThan(5_000);
  expect(work.length).toBeLessThan(base.length);

  await wake(fresh, work, base);
  expect(treeLines(fresh.root)).toEqual(before);
  expect(listGitFacts(fresh)).toEqual(inGit);
});

test("a change that does not change a file's name, size and time is saved", async () => {
  const path = join(world.program.root, "project", "counter");
  writeFileSync(path, "0000");
  const base = await makeBase(world.program, "base-1");
  const { atime, mtime } = statSync(path);
  writeFileSync(path, "1111");
  utimesSync(path, atime, mtime);
  await wake(fresh, await saveWork(world.program, "base-1"), base);
  expect(readFileSync(join(fresh.root, "project", "counter"), "utf8")).toBe("1111");
  // Right after the wake, in the same tick of the kernel's clock as far as the file shows.
  const woken = join(fresh.root, "project", "counter");
  writeFileSync(woken, "2222");
  utimesSync(woken, atime, mtime);
  const second = await another();
  await wake(second, await saveWork(fresh, "base-1"), base);
  expect(readFileSync(join(second.root, "project", "counter"), "utf8")).toBe("2222");
});

test("a sandbox that is unchanged since the known save is not saved again, and any change is", async () => {
  const project = join(world.program.root, "project");
  const at = (name: string) => join(project, name);
  mkdirSync(at("folder"));
  for (const name of ["counter", "closed", "old"]) writeFileSync(at(name), "0000");
  const { atime, mtime } = statSync(at("counter"));
  let number = 0;
  // A file that has just changed makes a save that is not known to be complete.
  const saved = async () =>
    until("a known save", async () => {
      const id = `save-${++number}`;
      await saveUnlessKnown(world.program, { id, known: "save-0" });
      return (await saveUnlessKnown(world.program, { id: "unused", known: id })) === 304 && id;
    });
  const changes = [
    () => {
      writeFileSync(at("counter"), "1111");
      utimesSync(at("counter"), atime, mtime);
    },
    () => chmodSync(at("closed"), 0o400),
    () => rmSync(at("old")),
    () => mkdirSync(at("folder/inside")),
    () => symlinkSync("counter", at("link")),
    () => writeFileSync(join(world.program.root, "home/.profile"), "x=1"),
  ];
  for (const change of changes) {
    const id = await saved();
    change();
    expect(await saveUnlessKnown(world.program, { id: "changed", known: id })).toBe(200);
  }
  const id = await saved();
  expect(await saveUnlessKnown(world.program, { id: "other", known: id, base: "base-1" })).toBe(200);
  expect(await saveUnlessKnown(world.program, { id: "other", known: "never-made" })).toBe(200);
  writeFileSync(join(world.program.root, "save-record.json"), "{");
  expect(await saveUnlessKnown(world.program, { id: "after", known: "other" })).toBe(200);
});

test.each([
  ["on a base", { base: "base-1" }],
  ["saved whole", {}],
])("a save of what has changed since a known one, %s, brings everything back", async (_, on: { base?: string }) => {
  const { program } = world;
  const base = on.base === undefined ? null : await makeBase(program, on.base);
  await until("a known save", async () => {
    await saveWork(program, on.base, { id: "save-1" });
    return (await saveUnlessKnown(program, { ...on, id: "unused", known: "save-1" })) === 304;
  });
  fill(program.root);
  rmSync(join(program.root, "project/README.md"));
  const before = treeHash(program.root);
  const next = await another();
  await wake(next, await saveWork(program, on.base, { id: "save-2", known: "save-1" }), base);
  expect(treeHash(next.root)).toBe(before);
});

test.each([
  ["on a base", "base-1"],
  ["saved whole", undefined],
])("edited, paused and woken five times, work %s is identical each time", async (_, baseId) => {
  fill(world.program.root);
  const base = baseId === undefined ? null : await makeBase(world.program, baseId);
  let program = world.program;
  for (let cycle = 1; cycle <= 5; cycle++) {
    const project = join(program.root, "project");
    writeFileSync(join(project, `file-${cycle}`), `of cycle ${cycle}`);
    appendFileSync(join(project, "README.md"), `cycle ${cycle}\n`);
    execFileSync("git", ["add", "README.md"], { cwd: project });
    if (cycle % 2 === 1) execFileSync("git", ["commit", "--quiet", "-m", `cycle ${cycle}`], { cwd: project });
    else execFileSync("git", ["stash", "push", "--quiet", "README.md"], { cwd: project });
    if (cycle > 1) rmSync(join(project, `file-${cycle - 1}`));
    writeFileSync(join(project, "staged.txt"), `staged in ${cycle}`);
    execFileSync("git", ["add", "staged.txt"], { cwd: project });
    writeFileSync(join(project, "staged.txt"), `and changed in ${cycle}`);
    const inGit = listGitFacts(program);
    const before = treeHash(program.root);
    const next = await another();
    await wake(next, await saveWork(program, baseId), base);
    expect(treeHash(next.root)).toBe(before);
    expect(listGitFacts(next)).toEqual(inGit);
    program = next;
  }
  expect(runGit(program, "rev-list", "--count", "HEAD").trim()).toBe("4");
  expect(runGit(program, "stash", "list").trim().split("\n")).toHaveLength(2);
});

test("damaged work is refused with the reason, and the sandbox does not change", async () => {
  const work = await saveWork(world.program);
  const damaged = Buffer.from(work);
  damaged.writeUInt8(damaged.readUInt8(work.length - 200) ^ 1, work.length - 200);
  for (const body of [work.subarray(0, work.length / 2), work.subarray(0, -1), damaged, Buffer.alloc(0)]) {
    const answer = await restoreWork(fresh, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      code: "ARCHIVE_UNREADABLE",
      message: "The archive is broken or incomplete.",
    });
  }
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
  expect(readdirSync(join(fresh.root, "tmp"))).not.toContain("archive");
  expect((await restoreWork(fresh, work)).status).toBe(200);
});

test("work of another format version, and other data, is refused with the reason", async () => {
  const work = await saveWork(world.program);
  const end = work.indexOf("\n");
  const head = JSON.parse(work.subarray(0, end).toString("utf8"));
  const lines = Buffer.from(`${JSON.stringify({ ...head, formatVersion: head.formatVersion + 1 })}\n`);
  const content = Buffer.concat([lines, work.subarray(end + 1, -32)]);
  const later = await restoreWork(fresh, Buffer.concat([content, createHash("sha256").update(content).digest()]));
  expect(later.status).toBe(400);
  expect(await later.json()).toEqual({
    code: "ARCHIVE_UNREADABLE",
    message: `The archive has format version ${head.formatVersion + 1}; this version of the sandbox program reads only version ${head.formatVersion}.`,
  });
  const foreign = await restoreWork(fresh, Buffer.from([0x1f, 0x8b, ...new Array(5_000).fill(7)]));
  expect(await foreign.json()).toMatchObject({ message: expect.stringContaining("not an archive of this sandbox") });
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
});

test("work is restored only on the base that it was saved on: another, a damaged or a missing one is refused", async () => {
  const base = await makeBase(world.program, "base-1");
  const work = await saveWork(world.program, "base-1");
  writeFileSync(join(world.program.root, "project", "later"), "later");
  const sameName = await makeBase(world.program, "base-1");
  const otherName = await makeBase(world.program, "base-2");
  for (const wrong of [otherName, sameName, base.subarray(0, -40), work]) {
    expect(await (await restoreWork(fresh, work)).json()).toEqual({ baseId: "base-1" });
    expect((await restoreBase(fresh, wrong, true)).status).toBe(400);
    expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
  }
  expect((await restoreBase(fresh, base, true)).status).toBe(400);
  await wake(fresh, work, base);
  expect((await fresh.call("GET", "/status")).body).toMatchObject({ checkedOut: true });
});

test("a sandbox that does not use the given base saves its whole work", async () => {
  await makeBase(world.program, "base-1");
  const before = treeHash(world.program.root);
  await wake(fresh, await saveWork(world.program, "base-2"), null);
  expect(treeHash(fresh.root)).toBe(before);
  rmSync(join(world.program.root, "base-record"));
  const second = await another();
  await wake(second, await saveWork(world.program, "base-1"), null);
  expect(treeHash(second.root)).toBe(before);
});

test("saved work is not restored over a checkout", async () => {
  const work = await saveWork(world.program);
  expect((await restoreWork(fresh, work)).status).toBe(200);
  expect((await restoreWork(fresh, work)).status).toBe(400);
});

test("an incomplete archive is never restored", async () => {
  writeFileSync(join(world.program.root, "project/large"), randomBytes(30_000_000));
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await world.program.raw("/archive", { headers });
  const archivers = await until("the archiver", () => {
    const found = listProcesses(world.program.root).filter((process) => readCommand(process).includes("archiver.cjs"));
    return found.length > 0 && found;
  });
  signalAll(archivers, "SIGKILL");
  await expect(answer.arrayBuffer()).rejects.toThrow();
  await wake(fresh, await saveWork(world.program), null);
  expect(treeHash(fresh.root)).toBe(treeHash(world.program.root));
});
