// Bases: a checkout that was made ready once is where other sessions of the project start, each on its own branch.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkout } from "../../../src/sandbox/protocol.ts";
import { treeLines } from "../../support/tree-hash.ts";
import { type GitRemote, startGitRemote } from "../support/git-remote.ts";
import { type Program, startProgram } from "../support/program.ts";
import { makeBase, restoreBase, saveWork, wake } from "../support/saved-work.ts";

let remote: GitRemote;
let first: Program;
let second: Program;
beforeEach(async () => {
  [remote, first, second] = await Promise.all([startGitRemote(), startProgram(), startProgram()]);
});
afterEach(async () => {
  await Promise.all([remote?.stop(), first?.remove(), second?.remove()]);
});

/** Setup that leaves as much as dependencies would. */
const setup = ["echo ran >> setup-runs", "head -c 5000000 /dev/zero > dependencies", "echo changed >> README.md"];
const checkout = (branch: string, changes: Partial<Checkout> = {}): Checkout => ({
  remoteUrl: remote.url,
  token: remote.token,
  branch,
  baseBranch: "main",
  setup,
  env: {},
  ...changes,
});
const checkOut = (program: Program, wanted: Checkout) => program.call("PUT", "/checkout", wanted);
const git = (program: Program, ...args: string[]) =>
  execFileSync("git", args, { cwd: join(program.root, "project"), encoding: "utf8" }).trim();
const read = (program: Program, path: string) => readFileSync(join(program.root, "project", path), "utf8");

/** Adds a commit to main on the remote. */
async function moveOn(): Promise<string> {
  const tree = await remote.git("rev-parse", "main^{tree}");
  const commit = await remote.git("commit-tree", tree, "-p", "main", "-m", "moved on");
  await remote.git("update-ref", "refs/heads/main", commit);
  return commit;
}

test("a session that starts from a base has its own branch and the base's setup, and nothing of another session", async () => {
  const head = await remote.git("rev-parse", "main");
  expect((await checkOut(first, checkout("svc/one", { commit: head }))).body).toEqual({ head, paysABase: true });
  const base = await makeBase(first, "base-1");
  expect((await restoreBase(second, base, false)).status).toBe(204);
  expect((await second.call("GET", "/status")).body).toMatchObject({ checkedOut: false });

  expect((await checkOut(second, checkout("svc/two"))).body).toEqual({ head, paysABase: false });
  expect(git(second, "for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main\nrefs/heads/svc/two");
  expect(git(second, "symbolic-ref", "HEAD")).toBe("refs/heads/svc/two");
  expect(read(second, "setup-runs")).toBe("ran\n");
  expect(git(second, "status", "--porcelain")).toBe("M README.md\n?? dependencies\n?? setup-runs");
  expect(git(second, "reflog")).not.toContain("svc/one");
  expect((await second.call("GET", "/git/state?base=main")).body).toEqual({
    hasUncommittedChanges: true,
    hasUnpushedCommits: false,
    hasCommitsAheadOfBase: false,
  });

  writeFileSync(join(second.root, "project/mine"), "mine");
  const before = treeLines(second.root);
  const work = await saveWork(second, "base-1");
  expect(work.length).toBeLessThan(20_000);
  const third = await startProgram();
  await wake(third, work, base);
  expect(treeLines(third.root)).toEqual(before);
  await third.remove();
});

test("a base of a commit that the remote does not have any more is not used: the checkout is made and set up again", async () => {
  await checkOut(first, checkout("svc/one"));
  const base = await makeBase(first, "base-1");
  const head = await moveOn();
  expect((await restoreBase(second, base, false)).status).toBe(204);
  expect((await checkOut(second, checkout("svc/two"))).body).toEqual({ head, paysABase: true });
  expect(git(second, "for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main\nrefs/heads/svc/two");
  expect(read(second, "setup-runs")).toBe("ran\n");

  const third = await startProgram();
  const before = treeLines(second.root);
  await wake(third, await saveWork(second, "base-1"), base);
  expect(treeLines(third.root)).toEqual(before);
  await third.remove();
});

test("no base is made of a published branch, nor of a small checkout", async () => {
  await remote.git("branch", "svc/one", "main");
  expect((await checkOut(first, checkout("svc/one"))).body).toMatchObject({ paysABase: false });
  expect((await checkOut(second, checkout("svc/two", { setup: [] }))).body).toMatchObject({ paysABase: false });
  expect(existsSync(join(second.root, "project/setup-runs"))).toBe(false);
});

test("a base is of one commit: if the branch is at another, setup does not run", async () => {
  const commit = await remote.git("rev-parse", "main");
  await moveOn();
  const refused = await checkOut(first, checkout("svc/one", { commit }));
  expect(refused).toMatchObject({
    status: 422,
    body: { code: "GIT_REFUSED", message: expect.stringContaining(commit) },
  });
  expect(existsSync(join(first.root, "project"))).toBe(false);
});

const planted = [
  "echo 'touch owned' >> ~/.bashrc",
  "git config alias.status '!touch owned'",
  "mkdir -p .git/hooks && touch .git/hooks/post-checkout",
];

test.each(planted)("no base is made if the setup leaves something unsuitable: %s", async (command) => {
  const commit = await remote.git("rev-parse", "main");
  const refused = await checkOut(first, checkout("svc/one", { commit, setup: [...setup, command] }));
  expect(refused.body).toMatchObject({ code: "UNSAVABLE" });
});

test("a sandbox that starts from a base has its own home, configuration and hooks, whatever the base contains", async () => {
  // The checkout of a session, whose setup is not looked at.
  await checkOut(first, checkout("svc/one", { setup: [...setup, ...planted, "touch ~/.cache-of-setup"] }));
  await restoreBase(second, await makeBase(first, "base-1"), false);
  await checkOut(second, checkout("svc/two"));
  expect(read(second, "setup-runs")).toBe("ran\n");
  expect(readdirSync(join(second.root, "home"))).toEqual([]);
  expect(existsSync(join(second.root, "project/.git/hooks/post-checkout"))).toBe(false);
  const settings = git(second, "config", "--local", "--list").split("\n").sort();
  const third = await startProgram();
  await checkOut(third, checkout("svc/three", { setup: [] }));
  expect(settings).toEqual(git(third, "config", "--local", "--list").split("\n").sort());
  await third.remove();
});
