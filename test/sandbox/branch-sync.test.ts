// Bringing another branch in: merged or rebased in the checkout, conflicts settled as a person chose, and nothing uncommitted ever lost.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finishSync, type Resolution, syncBranch } from "../../sandbox/branch/branch-sync.ts";
import { giveUpByHand } from "../../sandbox/branch/hand-merge.ts";
import { ensureCheckout } from "../../sandbox/checkout.ts";
import { type Folders, openFolders } from "../../sandbox/folders.ts";
import { pushBranch } from "../../sandbox/git.ts";
import { type GitRemote, startGitRemote } from "./support/git-remote.ts";

const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, at) => `${changed[at] ?? `line ${at}`}\n`).join("");
const start = {
  "text.txt": lines(),
  "deleted here": "old\n",
  "deleted there": "old\n",
  "renamed.txt": lines({ 0: "to be renamed" }),
  "binary.bin": "\0\u0001old",
  thing: "a file\n",
  "kept.txt": "kept\n",
};

let remote: GitRemote;
let folders: Folders;
let elsewhere: string;
beforeEach(async () => {
  remote = await startGitRemote(start);
  folders = openFolders(mkdtempSync(join(tmpdir(), "sync-")));
  elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
  await ensureCheckout(folders, {
    remoteUrl: remote.url,
    pass: remote.pass,
    branch: "svc/work",
    baseBranch: "main",
    setup: [],
    env: {},
  });
  execFileSync("git", ["clone", "--quiet", await remote.git("rev-parse", "--absolute-git-dir"), elsewhere]);
});
afterEach(async () => {
  await remote?.stop();
  for (const folder of [folders?.root, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

const gitAt = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.test", ...args], {
    cwd,
    encoding: "utf8",
  }).trim();
const git = (...args: string[]) => gitAt(folders.project, ...args);
const read = (path: string) =>
  existsSync(join(folders.project, path)) ? readFileSync(join(folders.project, path), "utf8") : null;

/** Files to write; null removes one. */
type Changes = Record<string, string | null>;
async function commit(at: string, changes: Changes, message: string): Promise<void> {
  for (const [path, content] of Object.entries(changes)) {
    if (content === null) rmSync(join(at, path), { recursive: true });
    else {
      await mkdir(dirname(join(at, path)), { recursive: true });
      await writeFile(join(at, path), content);
    }
  }
  gitAt(at, "add", "--all");
  gitAt(at, "commit", "--quiet", "-m", message);
}
const commitHere = (changes: Changes, message = "here") => commit(folders.project, changes, message);
async function commitThere(changes: Changes, branch = "main"): Promise<void> {
  gitAt(elsewhere, "checkout", "--quiet", branch);
  await commit(elsewhere, changes, "there");
  gitAt(elsewhere, "push", "--quiet", "origin", branch);
}
const publish = () => pushBranch(folders, { pass: remote.pass });
const sync = (wish: { rebase?: boolean; resolution?: Resolution } = {}) =>
  syncBranch(folders, {
    base: "main",
    pass: remote.pass,
    rebase: wish.rebase ?? false,
    resolution: wish.resolution ?? null,
  });

const everyConflict: { here: Changes; there: Changes } = {
  here: {
    "text.txt": lines({ 1: "one, here", 10: "ten, here" }),
    "deleted here": null,
    "deleted there": "changed here\n",
    "renamed.txt": null,
    "name here.txt": lines({ 0: "to be renamed" }),
    "binary.bin": "\0\u0001here",
    "both new.txt": "new, here\n",
    thing: null,
    "thing/inner.txt": "now a folder\n",
  },
  there: {
    "text.txt": lines({ 1: "one, there", 5: "five, there" }),
    "deleted here": "changed there\n",
    "deleted there": null,
    "renamed.txt": null,
    "name there.txt": lines({ 0: "to be renamed" }),
    "binary.bin": "\0\u0001there",
    "both new.txt": "new, there\n",
    thing: "changed there\n",
  },
};
const settled: Record<"branch" | "base", Record<string, string | null>> = {
  branch: {
    "text.txt": lines({ 1: "one, here", 5: "five, there", 10: "ten, here" }),
    "deleted here": null,
    "deleted there": "changed here\n",
    "renamed.txt": null,
    "name here.txt": lines({ 0: "to be renamed" }),
    "name there.txt": null,
    "binary.bin": "\0\u0001here",
    "both new.txt": "new, here\n",
    "thing/inner.txt": "now a folder\n",
  },
  base: {
    "text.txt": lines({ 1: "one, there", 5: "five, there", 10: "ten, here" }),
    "deleted here": "changed there\n",
    "deleted there": null,
    "renamed.txt": null,
    "name here.txt": null,
    "name there.txt": lines({ 0: "to be renamed" }),
    "binary.bin": "\0\u0001there",
    "both new.txt": "new, there\n",
    thing: "changed there\n",
  },
};

test("a published branch is merged with what came, its own commits kept as they are", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  const before = git("rev-parse", "HEAD");
  await commitThere({ "theirs.txt": "theirs\n" });

  expect(await sync()).toMatchObject({ status: "synced", how: "merge", from: before, isPublished: true });
  expect(git("log", "-1", "--format=%s|%P")).toBe(
    `Merge branch 'main' into svc/work|${before} ${await remote.git("rev-parse", "main")}`,
  );
  expect([read("mine.txt"), read("theirs.txt")]).toEqual(["mine\n", "theirs\n"]);
  expect(git("status", "--porcelain")).toBe("");
  expect(await sync()).toEqual({ status: "up-to-date" });
});

test("a branch that was never published is rebased, its commits with their authors and words", async () => {
  await commitHere({ "mine.txt": "mine\n" }, "first\n\nwith a body");
  await commitHere({ "mine.txt": "mine again\n" }, "second");
  await commitThere({ "theirs.txt": "theirs\n" });

  expect(await sync()).toMatchObject({ status: "synced", how: "rebase", isPublished: false });
  expect(git("log", "-3", "--format=%an|%s")).toBe(
    `Ada|second\nAda|first\n${git("log", "-1", "--format=%an|%s", "origin/main")}`,
  );
  expect(git("log", "-1", "--skip=1", "--format=%B")).toBe("first\n\nwith a body");
  expect([read("mine.txt"), read("theirs.txt")]).toEqual(["mine again\n", "theirs\n"]);
});

test("a published branch is rebased when that is asked for, and a branch with merges of its own is merged all the same", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  expect(await sync({ rebase: true })).toMatchObject({ status: "synced", how: "rebase", isPublished: true });
});

test.each(["branch", "base"] as const)(
  "every kind of conflict is settled for the %s, after a person was asked",
  async (resolution) => {
    await commitHere(everyConflict.here);
    await publish();
    await commitThere(everyConflict.there);
    const before = git("rev-parse", "HEAD");

    // Nobody was asked yet, so nobody has chosen.
    const conflict = await sync({ resolution });
    expect(conflict).toMatchObject({ status: "conflict" });
    expect("conflicts" in conflict && conflict.conflicts.toSorted()).toEqual([
      "binary.bin",
      "both new.txt",
      "deleted here",
      "deleted there",
      "name here.txt",
      "name there.txt",
      "renamed.txt",
      "text.txt",
      "thing",
    ]);
    expect([git("rev-parse", "HEAD"), git("status", "--porcelain")]).toEqual([before, ""]);

    expect(await sync({ resolution })).toMatchObject({ status: "synced", how: "merge" });
    for (const [path, content] of Object.entries(settled[resolution]))
      expect([path, read(path)]).toEqual([path, content]);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("rev-parse", "HEAD^1", "HEAD^2")).toBe(`${before}\n${await remote.git("rev-parse", "main")}`);
  },
);

test.each(["branch", "base"] as const)("conflicts of a rebase are settled for the %s as well", async (resolution) => {
  await commitHere({ "text.txt": lines({ 1: "one, here", 10: "ten, here" }) });
  await commitThere({ "text.txt": lines({ 1: "one, there", 5: "five, there" }) });
  expect(await sync()).toEqual({ status: "conflict", conflicts: ["text.txt"] });
  expect(await sync({ resolution })).toMatchObject({ status: "synced", how: "rebase" });
  expect(read("text.txt")).toBe(settled[resolution]["text.txt"]);
});

test("conflicts that nobody was asked about are asked about, whatever was chosen for others", async () => {
  await commitHere({ "text.txt": lines({ 1: "one, here" }), "kept.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": lines({ 1: "one, there" }) });
  await sync();
  await commitThere({ "kept.txt": "there\n" });
  expect(await sync({ resolution: "base" })).toMatchObject({ status: "conflict", conflicts: ["kept.txt", "text.txt"] });
  expect(await sync({ resolution: "base" })).toMatchObject({ status: "synced" });
  expect(read("kept.txt")).toBe("there\n");
});

test("uncommitted work stays byte for byte: changed, staged, new and ignored files", async () => {
  await commitHere({ ".gitignore": "*.log\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  const work = { "kept.txt": "changed\r\n\0", "text.txt": "staged\n", "new file": "new\n", "a.log": "ignored\n" };
  for (const [path, content] of Object.entries(work)) writeFileSync(join(folders.project, path), content);
  git("add", "text.txt");

  expect(await sync()).toMatchObject({ status: "synced" });
  expect(read("theirs.txt")).toBe("theirs\n");
  for (const [path, content] of Object.entries(work)) expect([path, read(path)]).toEqual([path, content]);
  expect(git("status", "--porcelain")).toBe('M kept.txt\nM  text.txt\n?? "new file"');
});

test.each([
  ["a changed file", "kept.txt"],
  ["a new file", "arrives.txt"],
  ["an ignored file", "arrives.log"],
])("%s that what comes would change is in the way, and nothing is done", async (_, path) => {
  await commitHere({ ".gitignore": "*.log\n" });
  await publish();
  await commitThere({ "kept.txt": "there\n", "arrives.txt": "there\n" });
  gitAt(elsewhere, "commit", "--allow-empty", "--quiet", "-m", "empty");
  writeFileSync(join(elsewhere, "arrives.log"), "there\n");
  gitAt(elsewhere, "add", "--force", "arrives.log");
  await commitThere({ "one more": "there\n" });
  const before = git("rev-parse", "HEAD");
  writeFileSync(join(folders.project, path), "mine\n");

  await expect(sync()).rejects.toThrow(`in files that would change: ${path}. Nothing was done.`);
  expect([git("rev-parse", "HEAD"), read(path), read("one more")]).toEqual([before, "mine\n", null]);
});

test("what others pushed to the branch itself comes in too", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  gitAt(elsewhere, "fetch", "--quiet");
  await commitThere({ "from others.txt": "others\n" }, "svc/work");
  await commitHere({ "mine too.txt": "mine\n" });
  await commitThere({ "theirs.txt": "theirs\n" });
  expect(await sync()).toMatchObject({ status: "synced", how: "merge" });
  expect([read("mine too.txt"), read("from others.txt"), read("theirs.txt")]).toEqual([
    "mine\n",
    "others\n",
    "theirs\n",
  ]);
  await publish();
});

test("conflicts settled by hand become the merge, without what was uncommitted before", async () => {
  await commitHere({ "text.txt": lines({ 1: "one, here" }), "deleted here": null });
  await publish();
  await commitThere({
    "text.txt": lines({ 1: "one, there" }),
    "deleted here": "changed there\n",
    "theirs.txt": "theirs\n",
  });
  writeFileSync(join(folders.project, "kept.txt"), "uncommitted\n");
  await sync();
  expect(await sync({ resolution: "by-hand" })).toEqual({ status: "by-hand", conflicts: ["deleted here", "text.txt"] });
  await expect(finishSync(folders)).rejects.toThrow("These files still have conflict markers: text.txt.");

  writeFileSync(join(folders.project, "text.txt"), "settled\n");
  rmSync(join(folders.project, "deleted here"));
  writeFileSync(join(folders.project, "needed too.txt"), "by the settlement\n");
  expect(await finishSync(folders)).toMatchObject({ status: "synced", how: "merge", isPublished: true });
  expect(git("show", "--format=%s", "--name-only", "--first-parent", "-m", "HEAD").split("\n").filter(Boolean)).toEqual(
    ["Merge branch 'main' into svc/work", "needed too.txt", "text.txt", "theirs.txt"],
  );
  expect(git("status", "--porcelain")).toBe("M kept.txt");
  expect(read("kept.txt")).toBe("uncommitted\n");
});

test("conflicts that nobody settles are given up: the branch is as it was, and so is what was uncommitted", async () => {
  await commitHere(everyConflict.here);
  await publish();
  await commitThere({ ...everyConflict.there, "theirs.txt": "theirs\n" });
  const before = git("rev-parse", "HEAD");
  writeFileSync(join(folders.project, "kept.txt"), "uncommitted\n");
  writeFileSync(join(folders.project, "new file"), "new\n");
  await sync();
  await sync({ resolution: "by-hand" });
  writeFileSync(join(folders.project, "theirs.txt"), "changed by the agent, and left\n");

  await giveUpByHand(folders);
  expect(git("status", "--porcelain")).toBe('M kept.txt\n?? "new file"');
  expect(git("rev-parse", "HEAD")).toBe(before);
  expect([read("kept.txt"), read("new file"), read("thing/inner.txt")]).toEqual([
    "uncommitted\n",
    "new\n",
    "now a folder\n",
  ]);
  expect(await sync()).toMatchObject({ status: "conflict" });
});

test("a checkout that is in the middle of something else is left alone", async () => {
  git("checkout", "--quiet", "-b", "another");
  await expect(sync()).rejects.toThrow("The checkout is on another and not on svc/work.");
});
