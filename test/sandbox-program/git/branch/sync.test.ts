// Bringing another branch in: merged or rebased in the checkout, conflicts settled as a person
// chose, and nothing uncommitted ever lost.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { syncBranch } from "../../../../sandbox-program/git/branch/sync.ts";
import type { Resolution } from "../../../../src/checkout/rules/sync.ts";
import { type BranchPair, type Changes, gitAt, startBranchPair } from "../../support/branch-pair.ts";

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

let turns = 0;
let pair: BranchPair;
beforeEach(async () => {
  pair = await startBranchPair(start);
});
afterEach(() => pair?.end());

const git: BranchPair["git"] = (...args) => pair.git(...args);
const read = (path: string) => pair.read(path);
const [commitHere, commitThere, publish]: [BranchPair["commitHere"], BranchPair["commitThere"], BranchPair["publish"]] =
  [(...args) => pair.commitHere(...args), (...args) => pair.commitThere(...args), () => pair.publish()];
const sync = (wish: { rebase?: boolean; resolution?: Resolution; signal?: AbortSignal } = {}) =>
  syncBranch(pair.folders, {
    ...(wish.signal && { signal: wish.signal }),
    base: "main",
    token: pair.remote.token,
    turnId: `turn-${++turns}`,
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

test("a published branch is merged, and its own commits do not change", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  const before = git("rev-parse", "HEAD");
  await commitThere({ "theirs.txt": "theirs\n" });

  expect(await sync()).toMatchObject({ status: "synced", how: "merge" });
  expect(git("log", "-1", "--format=%s|%P")).toBe(
    `Merge branch 'main' into svc/work|${before} ${await pair.remote.git("rev-parse", "main")}`,
  );
  expect([read("mine.txt"), read("theirs.txt")]).toEqual(["mine\n", "theirs\n"]);
  expect(git("status", "--porcelain")).toBe("");
  expect(await sync()).toEqual({ status: "up-to-date" });
});

test("the sync of a turn that was stopped changes nothing", async () => {
  await commitHere({ "ours.txt": "ours\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  const before = git("rev-parse", "HEAD", "origin/main");
  await expect(sync({ signal: AbortSignal.abort() })).rejects.toThrow();
  expect(git("rev-parse", "HEAD", "origin/main")).toBe(before);
});

test("an unpublished branch is rebased, and its commits keep their authors and messages", async () => {
  await commitHere({ "mine.txt": "mine\n" }, "first\n\nwith a body");
  await commitHere({ "mine.txt": "mine again\n" }, "second");
  await commitThere({ "theirs.txt": "theirs\n" });

  expect(await sync()).toMatchObject({ status: "synced", how: "rebase" });
  expect(git("log", "-3", "--format=%an|%s")).toBe(
    `Ada|second\nAda|first\n${git("log", "-1", "--format=%an|%s", "origin/main")}`,
  );
  expect(git("log", "-1", "--skip=1", "--format=%B")).toBe("first\n\nwith a body");
  expect([read("mine.txt"), read("theirs.txt")]).toEqual(["mine again\n", "theirs\n"]);
});

test("a published branch is rebased on request", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  expect(await sync({ rebase: true })).toMatchObject({
    status: "synced",
    how: "rebase",
  });
});

test("a rebase of a published branch can be pushed later, and no other sync restores the replaced commits", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  await sync({ rebase: true });
  await commitThere({ "theirs too.txt": "theirs\n" });
  expect(await sync()).toMatchObject({ status: "synced", how: "merge" });
  expect(git("log", "--format=%s", "--first-parent", "-2")).toBe("Merge branch 'main' into svc/work\nhere");
  expect(git("rev-list", "--count", "HEAD", "--grep=^here$")).toBe("1");
  await publish();
  expect(await pair.remote.git("rev-parse", "svc/work")).toBe(git("rev-parse", "HEAD"));
});

test("what others pushed onto a replaced commit is not overwritten", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  await sync({ rebase: true });
  gitAt(pair.elsewhere, "fetch", "--quiet");
  await commitThere({ "from others.txt": "others\n" }, "svc/work");
  await expect(publish()).rejects.toThrow();
  expect(await pair.remote.git("show", "svc/work:from others.txt")).toBe("others");
});

test("a branch with its own merge commit is merged, so that its resolutions are kept", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  git("checkout", "--quiet", "-b", "aside", "HEAD^");
  await commitHere({ "aside.txt": "aside\n" });
  git("checkout", "--quiet", "svc/work");
  git("merge", "--quiet", "--no-edit", "aside");
  await commitThere({ "theirs.txt": "theirs\n" });
  expect(await sync({ rebase: true })).toMatchObject({ status: "synced", how: "merge" });
});

test.each(["branch", "base"] as const)(
  "every kind of conflict is resolved for the %s, after the user was asked",
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
    expect(git("rev-parse", "HEAD^1", "HEAD^2")).toBe(`${before}\n${await pair.remote.git("rev-parse", "main")}`);
  },
);

test.each(["branch", "base"] as const)("conflicts of a rebase are resolved for the %s as well", async (resolution) => {
  await commitHere({ "text.txt": lines({ 1: "one, here", 10: "ten, here" }) });
  await commitThere({ "text.txt": lines({ 1: "one, there", 5: "five, there" }) });
  expect(await sync()).toEqual({ status: "conflict", conflicts: ["text.txt"] });
  expect(await sync({ resolution })).toMatchObject({ status: "synced", how: "rebase" });
  expect(read("text.txt")).toBe(settled[resolution]["text.txt"]);
});

test("the user is asked about new conflicts, whatever they chose for others", async () => {
  await commitHere({ "text.txt": lines({ 1: "one, here" }), "kept.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": lines({ 1: "one, there" }) });
  await sync();
  await commitThere({ "kept.txt": "there\n" });
  expect(await sync({ resolution: "base" })).toMatchObject({ status: "conflict", conflicts: ["kept.txt", "text.txt"] });
  expect(await sync({ resolution: "base" })).toMatchObject({ status: "synced" });
  expect(read("kept.txt")).toBe("there\n");
});

test("uncommitted work is kept byte for byte: changed, staged, new and ignored files", async () => {
  await commitHere({ ".gitignore": "*.log\n" });
  await publish();
  await commitThere({ "theirs.txt": "theirs\n" });
  const work = { "kept.txt": "changed\r\n\0", "text.txt": "staged\n", "new file": "new\n", "a.log": "ignored\n" };
  for (const [path, content] of Object.entries(work)) writeFileSync(join(pair.folders.project, path), content);
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
])("%s that the sync would change prevents it, and nothing is done", async (_, path) => {
  await commitHere({ ".gitignore": "*.log\n" });
  await publish();
  await commitThere({ "kept.txt": "there\n", "arrives.txt": "there\n" });
  gitAt(pair.elsewhere, "commit", "--allow-empty", "--quiet", "-m", "empty");
  writeFileSync(join(pair.elsewhere, "arrives.log"), "there\n");
  gitAt(pair.elsewhere, "add", "--force", "arrives.log");
  await commitThere({ "one more": "there\n" });
  const before = git("rev-parse", "HEAD");
  writeFileSync(join(pair.folders.project, path), "mine\n");

  await expect(sync()).rejects.toThrow(`in files that would change: ${path}. Nothing was done.`);
  expect([git("rev-parse", "HEAD"), read(path), read("one more")]).toEqual([before, "mine\n", null]);
});

test("commits of others on the branch itself are merged too", async () => {
  await commitHere({ "mine.txt": "mine\n" });
  await publish();
  gitAt(pair.elsewhere, "fetch", "--quiet");
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

test("a checkout during another git operation does not change", async () => {
  git("checkout", "--quiet", "-b", "another");
  await expect(sync()).rejects.toThrow("The checkout is on the branch another");
});
