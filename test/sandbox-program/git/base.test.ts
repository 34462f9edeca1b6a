// The commit of the Target Branch that a checkout contains: asked of git once for two branches, and
// again when either of them has moved. And what is known of refs from git's own files.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolders, type Folders } from "../../../sandbox-program/folders.ts";
import { commitWithin } from "../../../sandbox-program/git/base.ts";
import { findRefTips, isHeadOn, isRefMissing } from "../../../sandbox-program/git/ref-tips.ts";
import { writeCheckout } from "../../../sandbox-program/project/checkout-record.ts";

const refs = ["refs/remotes/origin/main", "refs/heads/svc/own"];
let root: string;
let folders: Folders;
let first: string;

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a", ...args], {
    cwd: folders.project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
const commit = () => {
  git("commit", "-q", "--allow-empty", "-m", "more");
  return git("rev-parse", "HEAD");
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "switchyard-base-"));
  folders = createFolders(root);
  mkdirSync(folders.project, { recursive: true });
  mkdirSync(folders.state, { recursive: true });
  git("init", "-q", "-b", "svc/own");
  first = commit();
  git("update-ref", "refs/remotes/origin/main", first);
  await writeCheckout(folders, { remoteUrl: "", branch: "svc/own", baseBranch: "main", isSetUp: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("it follows both branches, loose or packed", async () => {
  expect(await commitWithin(folders, "main")).toBe(first);
  const second = commit();
  expect(await commitWithin(folders, "main")).toBe(first);
  git("update-ref", "refs/remotes/origin/main", second);
  expect(await commitWithin(folders, "main")).toBe(second);
  git("pack-refs", "--all");
  expect(await commitWithin(folders, "main")).toBe(second);
  git("reset", "-q", "--hard", first);
  expect(await commitWithin(folders, "main")).toBe(first);
  expect(await commitWithin(folders, "gone")).toBeUndefined();
});

test("refs are read as git has them, and left to git where they are no plain files", () => {
  const tips = () => findRefTips(folders, refs);
  expect(tips()).toEqual([first, first]);
  git("pack-refs", "--all");
  const second = commit();
  expect(tips()).toEqual([first, second]);
  expect(findRefTips(folders, ["refs/heads/own"])).toBeNull();
  git("symbolic-ref", "refs/remotes/origin/main", "refs/heads/svc/own");
  expect(tips()).toBeNull();
  const file = join(folders.project, ".git", "refs", "remotes", "origin", "main");
  rmSync(file);
  execFileSync("mkfifo", [file]);
  expect(tips()).toBeNull();
  rmSync(file);
  writeFileSync(file, "not a commit\n");
  expect(tips()).toBeNull();
});

test("the branch of HEAD and a missing ref are read from git's files, and from git if these do not have them", () => {
  const ref = "refs/switchyard/replaced";
  expect(isHeadOn(folders, "svc/own")).toBe(true);
  expect(isHeadOn(folders, "svc")).toBe(false);
  expect(isRefMissing(folders, ref)).toBe(true);
  git("update-ref", ref, first);
  expect(isRefMissing(folders, ref)).toBe(false);
  git("pack-refs", "--all");
  expect(isRefMissing(folders, ref)).toBe(false);
  git("update-ref", "-d", ref);
  expect(isRefMissing(folders, ref)).toBe(true);
  git("checkout", "-q", "--detach");
  expect(isHeadOn(folders, "svc/own")).toBe(false);
  expect(isRefMissing(folders, ref)).toBe(true);
  writeFileSync(join(folders.project, ".git", "HEAD"), "ref: refs/heads/.invalid\n");
  expect(isRefMissing(folders, ref)).toBe(false);
  rmSync(join(folders.project, ".git"), { recursive: true });
  expect(isHeadOn(folders, "svc/own")).toBe(false);
  expect(isRefMissing(folders, ref)).toBe(false);
});
