// What differs from the base: every kind of change, names that git would quote, patches, and the
// commits beyond the base.
import { execFileSync } from "node:child_process";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { GitChanges, GitLog, GitPatch } from "../../../src/sandbox-protocol/checkout-query.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
beforeEach(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
});
afterEach(() => world?.end());

const git = (...args: string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" }).trim();
const write = (path: string, content: string | Buffer) => writeFile(join(project, path), content);
const read = async <Value>(path: string) => (await world.program.call("GET", path)).body as Value;
const changes = () => read<GitChanges>("/git/changes?base=main");
const commits = () => read<GitLog>("/git/log?base=main");
const patchPath = (path: string) => `/git/patch?base=main&path=${encodeURIComponent(path)}`;
const patch = (path?: string) => read<GitPatch>(path === undefined ? "/git/patch?base=main" : patchPath(path));
const plain = { previousPath: null, isBinary: false, committed: false };
const twentyLines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("");

async function commitAll(message: string) {
  git("add", "-A");
  git("commit", "-qm", message);
}

test("an untouched checkout has no changes, no patch and no commits", async () => {
  expect(await changes()).toEqual({ files: [] });
  expect(await patch()).toEqual({ patch: "", isCut: false });
  expect(await commits()).toEqual({ commits: [] });
});

test("new, changed, deleted and renamed files are distinguished, committed or not, with their lines", async () => {
  await write("long.txt", twentyLines);
  await write("goes.txt", "one\ntwo\n");
  await commitAll("base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");

  await rename(join(project, "long.txt"), join(project, "longer.txt"));
  await write("committed.txt", "a\nb\n");
  await commitAll("rename and add");
  await rm(join(project, "goes.txt"));
  await write("new.txt", "1\n2\n3");
  await write("picture.bin", Buffer.from([0, 1, 2, 255]));
  await write("staged.txt", "s\n");
  git("add", "staged.txt");

  const { files } = await changes();
  expect(files.sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { ...plain, path: "committed.txt", status: "added", additions: 2, deletions: 0, committed: true },
    { ...plain, path: "goes.txt", status: "deleted", additions: 0, deletions: 2 },
    {
      ...plain,
      path: "longer.txt",
      previousPath: "long.txt",
      status: "renamed",
      additions: 0,
      deletions: 0,
      committed: true,
    },
    { ...plain, path: "new.txt", status: "added", additions: 3, deletions: 0 },
    { ...plain, path: "picture.bin", status: "added", additions: 0, deletions: 0, isBinary: true },
    { ...plain, path: "staged.txt", status: "added", additions: 1, deletions: 0 },
  ]);
  expect(git("status", "--porcelain")).toBe(" D goes.txt\nA  staged.txt\n?? new.txt\n?? picture.bin".trim());
});

test("a committed file that is changed again is not committed, and a reverted one is not a change", async () => {
  const readme = await readFile(join(project, "README.md"), "utf8");
  await write("README.md", `${readme}more\n`);
  await commitAll("more");
  expect(await changes()).toMatchObject({ files: [{ path: "README.md", status: "modified", committed: true }] });
  await write("README.md", `${readme}more\nand more\n`);
  expect(await changes()).toMatchObject({ files: [{ path: "README.md", additions: 2, committed: false }] });
  await write("README.md", readme);
  expect(await changes()).toEqual({ files: [] });
});

test("newer commits of the base are not changes of the session", async () => {
  await write("mine.txt", "mine\n");
  await commitAll("mine");
  const tree = git("rev-parse", "refs/remotes/origin/main^{tree}");
  const theirs = git("commit-tree", tree, "-p", "refs/remotes/origin/main", "-m", "theirs");
  git("update-ref", "refs/remotes/origin/main", theirs);
  expect((await changes()).files).toHaveLength(1);
  expect((await commits()).commits).toHaveLength(1);
});

describe("a file with any name is listed with its name, and its patch can be read", () => {
  test.each([
    ["spaces", "a b  c.txt"],
    ["quotes", `"double" and 'single'.txt`],
    ["a newline", "two\nlines.txt"],
    ["a tab", "a\tb.txt"],
    ["letters of other scripts", "日本語/straße.txt"],
    ["a backslash", "back\\slash.txt"],
    ["a colon in front", ":(top).txt"],
    ["wildcards", "*[a-z]?.txt"],
    ["a dash in front", "--output=x"],
    ["a path of many folders", `${"deep/".repeat(200)}x.txt`],
  ])("%s", async (_, path) => {
    await mkdir(join(project, path, ".."), { recursive: true });
    await write(path, "one\r\ntwo\r\n");
    await write("other.txt", "another\n");
    const untracked = await changes();
    expect(untracked.files).toContainEqual({ ...plain, path, status: "added", additions: 2, deletions: 0 });
    const shown = (await patch(path)).patch;
    expect(shown).toContain("+one\r\n+two\r\n");
    expect(shown).not.toContain("another");
    await commitAll("tracked");
    expect((await changes()).files).toContainEqual({
      ...untracked.files.find((file) => file.path === path),
      committed: true,
    });
    expect((await patch(path)).patch).toBe(shown);
  });
});

test("a file whose name is not text is listed with U+FFFD, and as not committed", async () => {
  await writeFile(Buffer.concat([Buffer.from(`${project}/caf`), Buffer.from([0xe9, 0x2e, 0x74])]), "one\n");
  const path = "caf\ufffd.t";
  expect((await changes()).files).toEqual([{ ...plain, path, status: "added", additions: 1, deletions: 0 }]);
  expect((await patch()).patch).toContain("+one\n");
  expect((await read<GitPatch>("/git/uncommitted")).patch).toContain("+one\n");
  expect((await world.program.call("GET", patchPath(path))).status).toBe(404);
  await commitAll("tracked");
  expect((await changes()).files).toEqual([
    { ...plain, path, status: "added", additions: 1, deletions: 0, committed: true },
  ]);
});

test("the patch of a renamed file has its earlier path, and of a folder all of its files", async () => {
  await write("long.txt", twentyLines);
  await commitAll("base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  await mkdir(join(project, "folder"));
  await rename(join(project, "long.txt"), join(project, "folder/long.txt"));
  await write("folder/other.txt", "other\n");
  expect((await patch("folder/long.txt")).patch).toContain("rename from long.txt\nrename to folder/long.txt\n");
  expect((await patch("folder")).patch).toContain("+other\n");
  expect((await patch()).patch).toContain("rename from long.txt");
});

test("the patch of a binary file says so, of a symbolic link shows its target path, and never content outside of the project", async () => {
  await writeFile(join(world.program.root, "outside.txt"), "the secret\n");
  await symlink("../outside.txt", join(project, "link"));
  await symlink("..", join(project, "up"));
  await write("picture.bin", Buffer.from([0, 1, 2]));
  expect((await patch("picture.bin")).patch).toContain("Binary files /dev/null and b/picture.bin differ");
  expect((await patch("link")).patch).toContain("+../outside.txt");
  expect((await patch()).patch).not.toContain("the secret");
  expect((await patch("up/outside.txt")).patch ?? "").not.toContain("the secret");
});

test("the patch of a file that is too long is cut at a line, and says so", async () => {
  await write("long.txt", "ä long line of text\n".repeat(200_000));
  const body = await patch("long.txt");
  expect(body.isCut).toBe(true);
  expect(body.patch.length).toBeLessThan(2 * 1_024 * 1_024);
  expect(body.patch.endsWith("ä long line of text\n")).toBe(true);
});

test("in a patch of several files, those with too many lines are only named", async () => {
  await mkdir(join(project, "folder"));
  await write("folder/a.txt", "first\n");
  for (const name of ["b c.txt", "e.txt"])
    await write(`folder/${name}`, `${"a long line".repeat(100)}\n`.repeat(3_000));
  await write("folder/d.txt", "between\n");
  await write("folder/f.txt", "diff --git a/x b/x\nlast\n");
  for (const body of [await patch(), await patch("folder")]) {
    expect(body).toMatchObject({ isCut: true });
    expect(body.patch.replace(/^index .*\n/gm, "")).toBe(
      [
        ...["diff --git a/folder/a.txt b/folder/a.txt", "new file mode 100644", "--- /dev/null", "+++ b/folder/a.txt"],
        ...["@@ -0,0 +1 @@", "+first"],
        ...["diff --git a/folder/b c.txt b/folder/b c.txt", "new file mode 100644"],
        "Files /dev/null and b/folder/b c.txt differ; the lines are too many to be shown",
        ...["diff --git a/folder/d.txt b/folder/d.txt", "new file mode 100644", "--- /dev/null", "+++ b/folder/d.txt"],
        ...["@@ -0,0 +1 @@", "+between"],
        ...["diff --git a/folder/e.txt b/folder/e.txt", "new file mode 100644"],
        "Files /dev/null and b/folder/e.txt differ; the lines are too many to be shown",
        ...["diff --git a/folder/f.txt b/folder/f.txt", "new file mode 100644", "--- /dev/null", "+++ b/folder/f.txt"],
        ...["@@ -0,0 +1,2 @@", "+diff --git a/x b/x", "+last", ""],
      ].join("\n"),
    );
  }
});

test("a patch contains only the project's files", async () => {
  const refused: [path: string, status: number, code: string][] = [
    ["/etc/passwd", 400, "OUTSIDE_PROJECT"],
    ["../outside.txt", 400, "OUTSIDE_PROJECT"],
    ["src/../../outside.txt", 400, "OUTSIDE_PROJECT"],
    [".git/config", 400, "OUTSIDE_PROJECT"],
    [".GIT/config", 400, "OUTSIDE_PROJECT"],
    ["", 400, "BAD_CALL"],
    ["a\0b", 400, "BAD_CALL"],
    ["a".repeat(2_049), 400, "BAD_CALL"],
    ["a".repeat(2_048), 404, "NOT_FOUND"],
    ["nowhere.txt", 404, "NOT_FOUND"],
    ["%2e%2e/outside.txt", 404, "NOT_FOUND"],
    ["..\\outside.txt", 404, "NOT_FOUND"],
  ];
  for (const [path, status, code] of refused) {
    expect(await world.program.call("GET", patchPath(path)), path.slice(0, 40)).toMatchObject({
      status,
      body: { code },
    });
  }
});

test("ignored files are not changes; a nested repository does not disturb", async () => {
  await write(".gitignore", "*.log\n");
  await write("noise.log", "noise\n");
  await mkdir(join(project, "inner"));
  git("init", "-q", "inner");
  expect((await changes()).files.map((file) => file.path)).toEqual([".gitignore"]);
  expect(await patch("noise.log")).toEqual({ patch: "", isCut: false });
});

test("a merge with conflicts shows its file once", async () => {
  await write("both.txt", "base\n");
  await commitAll("base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  git("checkout", "-q", "-b", "other");
  await write("both.txt", "theirs\n");
  await commitAll("theirs");
  git("checkout", "-q", "svc/work");
  await write("both.txt", "ours\n");
  await commitAll("ours");
  expect(() => git("merge", "-q", "other")).toThrow();
  const { files } = await changes();
  expect(files).toEqual([expect.objectContaining({ path: "both.txt", status: "modified", committed: false })]);
  expect((await patch("both.txt")).patch).toContain("<<<<<<<");
});

test("commits are listed newest first with their whole message and author", async () => {
  await write("a.txt", "a\n");
  await commitAll("first");
  await write("b.txt", "b\n");
  git("add", "-A");
  git("-c", "user.name=Ada Ä", "commit", "-qm", 'second\n\nWith a body,\nand "quotes".');
  expect(await commits()).toEqual({
    commits: [
      {
        sha: git("rev-parse", "HEAD"),
        message: 'second\n\nWith a body,\nand "quotes".',
        author: "Ada Ä",
        committedAt: expect.stringMatching(/^\d{4}-.*T.*\.000Z$/),
      },
      expect.objectContaining({ sha: git("rev-parse", "HEAD~1"), message: "first", author: "Switchyard Agent" }),
    ],
  });
});

test("a commit with a date after the year 9999 is listed with the latest date", async () => {
  const env = { ...process.env, GIT_COMMITTER_DATE: "@99999999999999 +0000" };
  execFileSync("git", ["commit", "-q", "--allow-empty", "-m", "odd"], { cwd: project, env });
  expect((await commits()).commits).toMatchObject([{ message: "odd", committedAt: "9999-12-31T23:59:59.000Z" }]);
});

test("reading changes runs and shows nothing that the checkout's configuration names", async () => {
  const trace = join(world.program.root, "traced");
  await write("new.txt", "new\n");
  await write(".gitattributes", "*.txt diff=shown\n");
  for (const [name, value] of [
    ["diff.external", `touch ${trace};`],
    ["diff.shown.textconv", `touch ${trace};`],
    ["diff.shown.command", `touch ${trace};`],
    ["gpg.program", `touch ${trace};`],
    ["log.showSignature", "true"],
    ["diff.noprefix", "true"],
    ["color.ui", "always"],
    ["diff.renames", "false"],
  ] as const) {
    git("config", name, value);
  }
  await commitAll("new");
  expect((await changes()).files).toHaveLength(2);
  expect((await patch("new.txt")).patch).toMatch(/^diff --git a\/new.txt b\/new.txt\n/);
  expect((await commits()).commits).toHaveLength(1);
  expect(await readFile(trace).catch(() => null)).toBeNull();
});

test("a base that the remote does not have is refused", async () => {
  for (const what of ["changes", "patch", "log"]) {
    const refused = await world.program.call("GET", `/git/${what}?base=nowhere`);
    expect(refused).toMatchObject({ status: 422, body: { code: "GIT_REFUSED" } });
  }
});
