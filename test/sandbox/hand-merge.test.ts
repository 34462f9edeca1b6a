// A merge settled by hand: finished as the files are then, or given up without a trace.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finishSync, syncBranch } from "../../sandbox/branch/branch-sync.ts";
import { giveUpByHand } from "../../sandbox/branch/hand-merge.ts";
import { ensureCheckout } from "../../sandbox/checkout.ts";
import type { Resolution } from "../../src/rules/sync-conflict.ts";
import { type BranchPair, startBranchPair } from "./support/branch-pair.ts";

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
    pass: pair.remote.pass,
    turnId: `turn-${++turns}`,
    rebase: false,
    resolution,
  });
const write = (path: string, content: string) => writeFileSync(join(pair.folders.project, path), content);

test("conflicts settled by hand become the merge, without what was uncommitted before", async () => {
  const { commitHere, commitThere, publish, folders, git, read } = pair;
  await commitHere({ "text.txt": "one, here\ntwo\n", "deleted here": null });
  await publish();
  await commitThere({ "text.txt": "one, there\ntwo\n", "deleted here": "changed there\n", "theirs.txt": "theirs\n" });
  write("kept.txt", "uncommitted\n");
  await sync();
  expect(await sync("by-hand")).toEqual({ status: "by-hand", conflicts: ["deleted here", "text.txt"] });
  await expect(finishSync(folders)).rejects.toThrow("These files still have conflict markers: text.txt.");

  write("text.txt", "settled\n");
  rmSync(join(folders.project, "deleted here"));
  write("needed too.txt", "by the settlement\n");
  expect(await finishSync(folders)).toMatchObject({ status: "synced", how: "merge" });
  expect(git("diff", "--name-only", "HEAD^1", "HEAD").split("\n")).toEqual([
    "needed too.txt",
    "text.txt",
    "theirs.txt",
  ]);
  expect(git("log", "-1", "--format=%s")).toBe("Merge branch 'main' into svc/work");
  expect(git("status", "--porcelain")).toBe("M kept.txt");
  expect(read("kept.txt")).toBe("uncommitted\n");
});

test("conflicts that nobody settles are given up: the branch is as it was, and so is what was uncommitted", async () => {
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

test("what a killed sandbox left of one is given up before anything else is done in the checkout", async () => {
  const { commitHere, commitThere, publish, folders, git, read, remote } = pair;
  await commitHere({ "text.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": "there\n" });
  await sync();
  await sync("by-hand");
  const { url: remoteUrl, pass } = remote;
  await ensureCheckout(folders, { remoteUrl, pass, branch: "svc/work", baseBranch: "main", setup: [], env: {} });
  expect([read("text.txt"), git("status", "--porcelain")]).toEqual(["here\n", ""]);
});

test("a merge that the agent committed itself is taken as finished, and one that it threw away is not", async () => {
  const { commitHere, commitThere, publish, folders, git } = pair;
  await commitHere({ "text.txt": "here\n" });
  await publish();
  await commitThere({ "text.txt": "there\n" });
  await sync();
  await sync("by-hand");
  git("merge", "--abort");
  await expect(finishSync(folders)).rejects.toThrow("no longer under way");

  await sync();
  await sync("by-hand");
  write("text.txt", "settled\n");
  git("add", "--all");
  git("commit", "--quiet", "--no-edit");
  expect(await finishSync(folders)).toMatchObject({ status: "synced", how: "merge" });
});
