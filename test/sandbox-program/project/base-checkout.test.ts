// Bases: a checkout that was made ready once is where other sessions of the project start, each on
// its own branch.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkout } from "../../../src/sandbox-protocol/protocol.ts";
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

test("a base whose commit is known to be the newest one is a session's without asking the remote", async () => {
  const head = await remote.git("rev-parse", "main");
  await begin({ setup });
  // A remote that is asked refuses this token.
  const wanted = checkout("svc/two", { newest: head, token: "refused" });
  expect((await checkOut(second, wanted)).body).toEqual({ head, paysABase: false });
  expect(git(second, "for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes/origin/main")).toContain(head);
  const third = await startProgram();
  await restoreBase(third, await makeBase(first, "base-2"), false);
  await moveOn();
  const moved = { newest: await remote.git("rev-parse", "main"), token: "refused" };
  expect((await checkOut(third, checkout("svc/three", moved))).status).toBe(422);
  await third.remove();
});

/** Adds a commit with these files to main on the remote. */
async function mergeFiles(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merge-"));
  const run = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, env: remote.env });
  run(folder, "clone", "--quiet", remote.folder, "work");
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, "work", path), content);
  run(join(folder, "work"), "add", "--all", "--force");
  run(join(folder, "work"), "commit", "--quiet", "-m", "merged");
  run(join(folder, "work"), "push", "--quiet", "origin", "HEAD:main");
  await rm(folder, { recursive: true });
  return await remote.git("rev-parse", "main");
}

/** Makes a base in the first program, and restores it in the second. */
async function begin(wanted: Partial<Checkout>): Promise<Buffer> {
  expect((await checkOut(first, checkout("switchyard/base", wanted))).status).toBe(200);
  const base = await makeBase(first, "base-1");
  expect((await restoreBase(second, base, false)).status).toBe(204);
  return base;
}

/**
 * What setup leaves: something that git ignores, a file that it does not, and a change of one that
 * git has.
 */
const ignored = ["echo of $(cat version) >> kept/runs", "cp version generated", "cat version >> README.md"];

test("a prebuild of an earlier commit is updated: the newest files, setup run again on what git ignores, and nothing else of the old commit", async () => {
  await mergeFiles({ ".gitignore": "kept\n", version: "1\n", gone: "soon\n" });
  const base = await begin({ setup: ["mkdir -p kept", ...ignored, "cp version generated-1"] });
  await remote.git("branch", "elsewhere", "main");
  const tree = await mergeFiles({ version: "2\n", added: "new\n", generated: "of the commit\n" });
  const setup = ["[ -d kept ]", ...ignored];
  const made = await checkOut(second, checkout("svc/two", { setup }));
  expect(made.body).toEqual({ head: tree, paysABase: false, baseMovedMs: expect.any(Number) });
  expect([read(second, "kept/runs"), read(second, "added"), read(second, "generated")]).toEqual([
    "of 1\nof 2\n",
    "new\n",
    "2\n",
  ]);
  expect(git(second, "status", "--porcelain")).toBe("M README.md\n M generated");
  expect(read(second, "README.md")).toBe("# Demo\n2\n");
  expect(git(second, "symbolic-ref", "HEAD")).toBe("refs/heads/svc/two");
  expect(git(second, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")).toBe(
    `refs/heads/main ${tree}\nrefs/heads/svc/two ${tree}`,
  );

  writeFileSync(join(second.root, "project/mine"), "mine");
  const before = treeLines(second.root);
  const third = await startProgram();
  await wake(third, await saveWork(second, "base-1"), base);
  expect(treeLines(third.root)).toEqual(before);
  // A call that is repeated finds all done.
  expect((await checkOut(second, checkout("svc/two", { setup }))).body).toEqual({ head: tree, paysABase: false });
  await third.remove();
});

test.each<[string, () => Promise<unknown>, Partial<Checkout>, unknown]>([
  ["whose branch was forced elsewhere", forceElsewhere, {}, "main no longer contains the base's commit."],
  [
    "on which the setup fails",
    moveOn,
    { setup: ["touch ~/left", "mkdir made", ...setup] },
    expect.stringContaining("setup failed"),
  ],
])(
  "a prebuild %s is not used: the checkout is cloned and set up from nothing, and says why",
  async (_, move, wanted, why) => {
    await mergeFiles({ ".gitignore": "made\n" });
    const base = await begin(wanted);
    await move();
    const head = await remote.git("rev-parse", "main");
    const made = await checkOut(second, checkout("svc/two", wanted));
    expect(made.body).toEqual({ head, paysABase: true, baseUnmoved: why });
    expect(read(second, "setup-runs")).toBe("ran\n");
    expect(git(second, "log", "--format=%H", "-1")).toBe(head);
    const third = await startProgram();
    const before = treeLines(second.root);
    // As if the service dies before it records that the sandbox uses no prebuild.
    await wake(third, await saveWork(second, "base-1"), base);
    expect(treeLines(third.root)).toEqual(before);
    await third.remove();
  },
);

/** Replaces the history of main. */
async function forceElsewhere(): Promise<void> {
  const tree = await remote.git("rev-parse", "main^{tree}");
  await remote.git("update-ref", "refs/heads/main", await remote.git("commit-tree", tree, "-m", "another start"));
}

test("a setup that fails on the update and from nothing refuses the checkout, or leaves it to be repaired by an agent", async () => {
  await begin({});
  await moveOn();
  const wanted = { setup: ["echo tried >> ~/tries", "exit 3"] };
  expect(await checkOut(second, checkout("svc/two", wanted))).toMatchObject({ body: { code: "SETUP_FAILED" } });
  expect(readFileSync(join(second.root, "home/tries"), "utf8")).toBe("tried\n");
  const third = await startProgram();
  await restoreBase(third, await makeBase(first, "base-2"), false);
  expect((await checkOut(third, checkout("main", { ...wanted, reportsSetupFailure: true }))).body).toMatchObject({
    baseUnmoved: expect.any(String),
    setupFailure: expect.stringContaining("exit code 3"),
  });
  await third.remove();
});

test("a prebuild is made from an older one that is updated, and only of one commit", async () => {
  await begin({});
  const head = await moveOn();
  const other = await startProgram();
  await restoreBase(other, await makeBase(first, "base-2"), false);
  const made = await checkOut(second, checkout("switchyard/base", { commit: head }));
  expect(made.body).toEqual({ head, paysABase: false, baseMovedMs: expect.any(Number) });
  await moveOn();
  expect((await checkOut(other, checkout("switchyard/base", { commit: head }))).body).toMatchObject({
    code: "GIT_REFUSED",
  });
  await other.remove();
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
