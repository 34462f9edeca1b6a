// A merge settled by hand: finished with the current files, or abandoned without a trace.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cancelHandMerge } from "../../../../sandbox-program/git/branch/hand-merge.ts";
import { commitSync, syncBranch } from "../../../../sandbox-program/git/branch/sync.ts";
import { ensureCheckout } from "../../../../sandbox-program/project/checkout.ts";
import type { Resolution } from "../../../../src/checkout/rules/sync.ts";
import { type BranchPair, type Changes, startBranchPair } from "../../support/branch-pair.ts";

const start = { "text.txt": "one\ntwo\n", "deleted here": "old\n", thing: "a file\n", "kept.txt": "kept\n" };
let turns = 0;
let pair: BranchPair;
beforeEach(async () => {
  pair = await startBranchPair(start);
});
afterEach(() => pair?.end());

const sync = (resolution: Resolution | null = null) =>
  syncBranch(pair.folders, {
    base: "main",
    token: pair.remote.token,
    turnId: `turn-${++turns}`,
    rebase: false,
    resolution,
  });
const at = (path: string) => join(pair.folders.project, path);
const write = (path: string, content: string) => writeFileSync(at(path), content);
const remove = (path: string) => rmSync(at(path), { recursive: true });
function relink(path: string): void {
  remove(path);
  symlinkSync("text.txt", at(path));
}
function unfold(path: string): void {
  remove(path);
  mkdirSync(at(path));
  write(`${path}/${odd}`, "inside\n");
}
function refile(path: string): void {
  remove(path);
  write(path, "a file again\n");
}

test("conflicts that are resolved by hand become the merge, without earlier uncommitted changes", async () => {
  const { commitHere, commitThere, publish, folders, git, read } = pair;
  await commitHere({ "text.txt": "one, here\ntwo\n", "deleted here": null });
  await publish();
  await commitThere({ "text.txt": "one, there\ntwo\n", "deleted here": "changed there\n", "theirs.txt": "theirs\n" });
  write("kept.txt", "uncommitted\n");
  await sync();
  expect(await sync("by-hand")).toEqual({ status: "by-hand", conflicts: ["deleted here", "text.txt"] });
  await expect(commitSync(folders)).rejects.toThrow("These files still have conflict markers: text.txt.");

  write("text.txt", "settled\n");
  rmSync(join(folders.project, "deleted here"));
  write("needed too.txt", "by the settlement\n");
  expect(await commitSync(folders)).toMatchObject({ status: "synced", how: "merge" });
  expect(git("diff", "--name-only", "HEAD^1", "HEAD").split("\n")).toEqual([
    "needed too.txt",
    "text.txt",
    "theirs.txt",
  ]);
  expect(git("log", "-1", "--format=%s")).toBe("Merge branch 'main' into svc/work");
  expect(git("status", "--porcelain")).toBe("M kept.txt");
  expect(read("kept.txt")).toBe("uncommitted\n");
});

const odd = 'odd\n"name" ü';
const settle = () => write("text.txt", "settled\n");

test.each<[what: string, there: Changes, byHand: () => void, made: string[]]>([
  ["deleted there", { "kept.txt": null }, settle, ["D\tkept.txt"]],
  ["renamed there", { "kept.txt": null, [odd]: "kept\n" }, settle, [`A\t${odd}`, "D\tkept.txt"]],
  ["added there and removed by hand", { "theirs.txt": "theirs\n" }, () => remove("theirs.txt"), []],
  ["changed there and removed by hand", { "kept.txt": "there\n" }, () => remove("kept.txt"), ["D\tkept.txt"]],
  ["deleted there and made again by hand", { "kept.txt": null }, () => write("kept.txt", "kept\n"), []],
  ["made a link by hand", { "kept.txt": "there\n" }, () => relink("kept.txt"), ["T\tkept.txt"]],
  ["made a folder by hand", { thing: "there\n" }, () => unfold("thing"), ["D\tthing", `A\tthing/${odd}`]],
  ["made a folder there", { thing: null, "thing/in": "in\n" }, settle, ["D\tthing", "A\tthing/in"]],
  ["made a file by hand", { thing: null, "thing/in": "in\n" }, () => refile("thing"), ["M\tthing"]],
  ["made executable by hand", { "kept.txt": null }, () => chmodSync(at("thing"), 0o755), ["D\tkept.txt", "M\tthing"]],
  ["staged by hand", { "kept.txt": null }, () => pair.git("add", "text.txt"), ["D\tkept.txt"]],
])("beside a conflict, a file is %s: the merge has it so", async (_, there, byHand, made) => {
  const { commitHere, commitThere, publish, folders, git } = pair;
  await commitHere({ "text.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": "there\n", ...there });
  write("not in it.txt", "uncommitted\n");
  await sync();
  await sync("by-hand");
  settle();
  byHand();
  expect(await commitSync(folders)).toMatchObject({ status: "synced" });
  const changed = git("diff", "--name-status", "--no-renames", "-z", "HEAD^1", "HEAD").split("\0").filter(Boolean);
  const told = changed.flatMap((letter, at) => (at % 2 === 0 ? [`${letter}\t${changed[at + 1]}`] : []));
  expect(told.toSorted()).toEqual([...made, "M\ttext.txt"].toSorted());
  expect(git("status", "--porcelain")).toBe('?? "not in it.txt"');
});

test("an ignored file that the merge would replace prevents it, and nothing is done", async () => {
  const { commitHere, commitThere, publish, git, read } = pair;
  await commitHere({ "text.txt": "here\n", ".gitignore": "*.log\n" });
  await publish();
  await commitThere({ "text.txt": "there\n", "arrives.log": "there\n" });
  write("arrives.log", "mine\n");
  await sync();
  await expect(sync("by-hand")).rejects.toThrow("in files that would change: arrives.log. Nothing was done.");
  expect([git("status", "--porcelain"), read("arrives.log")]).toEqual(["", "mine\n"]);

  remove("arrives.log");
  expect(await sync("by-hand")).toEqual({ status: "by-hand", conflicts: ["text.txt"] });
});

test("unresolved conflicts are undone: the branch and the uncommitted changes are restored", async () => {
  const { commitHere, commitThere, publish, folders, git, read } = pair;
  await commitHere({ "text.txt": "here\n", "deleted here": null, thing: null, "thing/inner.txt": "now a folder\n" });
  await publish();
  await commitThere({
    "text.txt": "there\n",
    "deleted here": "changed\n",
    thing: "changed\n",
    "theirs.txt": "theirs\n",
  });
  const before = git("rev-parse", "HEAD");
  write("kept.txt", "uncommitted\n");
  write("new file", "new\n");
  await sync();
  await sync("by-hand");
  write("theirs.txt", "changed by the agent, and left\n");

  await cancelHandMerge(folders);
  expect(git("status", "--porcelain")).toBe('M kept.txt\n?? "new file"');
  expect(git("rev-parse", "HEAD")).toBe(before);
  expect([read("kept.txt"), read("new file"), read("thing/inner.txt")]).toEqual([
    "uncommitted\n",
    "new\n",
    "now a folder\n",
  ]);
  expect(await sync()).toMatchObject({ status: "conflict" });
});

describe("uncommitted work that the agent stages during a merge by hand", () => {
  async function startAndStageAll(): Promise<void> {
    const { commitHere, commitThere, publish, git } = pair;
    await commitHere({ "text.txt": "here\n" });
    await publish();
    await commitThere({ "text.txt": "there\n", "theirs.txt": "theirs\n" });
    write("kept.txt", "uncommitted\n");
    write(odd, "new\n");
    mkdirSync(at("nested"));
    git("init", "--quiet", "nested");
    git("-C", "nested", "commit", "--quiet", "--allow-empty", "--message", "inside");
    await sync();
    await sync("by-hand");
    settle();
    git("add", "--all", "--no-warn-embedded-repo");
  }
  function expectUncommitted(): void {
    const { git, read } = pair;
    expect(git("status", "--porcelain", "-z").split("\0").filter(Boolean)).toEqual([
      "M kept.txt",
      expect.stringMatching(/^\?\? nested/),
      `?? ${odd}`,
    ]);
    expect([read("kept.txt"), read(odd)]).toEqual(["uncommitted\n", "new\n"]);
  }

  test("is left in place when the merge is undone", async () => {
    await startAndStageAll();
    await cancelHandMerge(pair.folders);
    expectUncommitted();
    expect(pair.read("text.txt")).toBe("here\n");
  });

  test("is left out of the merge when that is finished", async () => {
    await startAndStageAll();
    expect(await commitSync(pair.folders)).toMatchObject({ status: "synced", how: "merge" });
    expect(pair.git("diff", "--name-only", "HEAD^1", "HEAD").split("\n")).toEqual(["text.txt", "theirs.txt"]);
    expectUncommitted();
  });
});

describe("files that were deleted and not committed before a merge by hand, and that it writes again", () => {
  beforeEach(async () => {
    const { commitHere, commitThere, publish } = pair;
    await commitHere({ "text.txt": "here\n" });
    await publish();
    await commitThere({ "text.txt": "there\n", "kept.txt": "there\n", thing: null });
    for (const path of ["text.txt", "kept.txt", "thing", "deleted here"]) remove(path);
    await sync();
    expect(await sync("by-hand")).toEqual({ status: "by-hand", conflicts: ["text.txt"] });
  });

  test("are in the merge when that is finished", async () => {
    const { folders, git } = pair;
    settle();
    expect(await commitSync(folders)).toMatchObject({ status: "synced", how: "merge" });
    expect(git("diff", "--name-status", "HEAD^1", "HEAD")).toBe("M\tkept.txt\nM\ttext.txt\nD\tthing");
    expect(git("show", "HEAD:text.txt", "HEAD:kept.txt")).toBe("settled\nthere");
    expect(git("status", "--porcelain")).toBe('D "deleted here"');
  });

  test("have the branch's version when the merge is undone", async () => {
    const { folders, git, read } = pair;
    await cancelHandMerge(folders);
    expect(git("status", "--porcelain")).toBe('D "deleted here"');
    expect([read("text.txt"), read("kept.txt")]).toEqual(["here\n", "kept\n"]);
  });
});

test("an unfinished merge of a killed sandbox is undone before anything else is done in the checkout", async () => {
  const { commitHere, commitThere, publish, folders, git, read, remote } = pair;
  await commitHere({ "text.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": "there\n" });
  await sync();
  await sync("by-hand");
  const { url: remoteUrl, token } = remote;
  await ensureCheckout(folders, { remoteUrl, token, branch: "svc/work", baseBranch: "main", setup: [], env: {} });
  expect([read("text.txt"), git("status", "--porcelain")]).toEqual(["here\n", ""]);
});

test("a merge that the agent committed itself counts as finished, and one that it aborted does not", async () => {
  const { commitHere, commitThere, publish, folders, git } = pair;
  await commitHere({ "text.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": "there\n" });
  await sync();
  await sync("by-hand");
  git("merge", "--abort");
  await expect(commitSync(folders)).rejects.toThrow("no longer in progress");

  await sync();
  await sync("by-hand");
  write("text.txt", "settled\n");
  git("add", "--all");
  git("commit", "--quiet", "--no-edit");
  expect(await commitSync(folders)).toMatchObject({ status: "synced", how: "merge" });
});
