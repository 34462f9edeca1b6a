// A base of a long history: a session begins with the newest commits while the older ones are still
// being unpacked.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeLines } from "../../support/tree-hash.ts";
import { type GitRemote, startGitRemote } from "../support/git-remote.ts";
import { type Program, startProgram } from "../support/program.ts";
import { makeBase, restoreBase, restoreWork, saveWork, sendHalfOfBase } from "../support/saved-work.ts";

let remote: GitRemote;
let maker: Program;
let session: Program;
beforeEach(async () => {
  [remote, maker, session] = await Promise.all([startGitRemote(), startProgram(), startProgram()]);
});
afterEach(async () => {
  await Promise.all([remote?.stop(), maker?.remove(), session?.remove()]);
});

const commits = 100;

/** Gives main many commits. The first of them have a file of this size, which the next removes. */
function lengthenHistory(bytes: number): void {
  const pieces = Array.from({ length: commits - 1 }, (_, at) => {
    const from = at === 0 ? "from refs/heads/main^0\n" : "";
    const commit = `commit refs/heads/main\ncommitter Somebody <somebody@example.test> ${1_700_000_000 + at} +0000\ndata 0\n${from}`;
    if (at >= 4) return [Buffer.from(at === 4 ? `${commit}D large\n` : commit)];
    return [Buffer.from(`${commit}M 100644 inline large\ndata ${bytes}\n`), randomBytes(bytes), Buffer.from("\n")];
  });
  execFileSync("git", ["fast-import", "--quiet"], {
    cwd: remote.folder,
    env: remote.env,
    input: Buffer.concat(pieces.flat()),
  });
}

/** Makes a base of main. */
async function makeBaseOfMain(): Promise<Buffer> {
  await checkOut(maker, "switchyard/base", await remote.git("rev-parse", "main"));
  return await makeBase(maker, "base-1");
}

/** Checks out a branch of main. Returns its commit. */
async function checkOut(program: Program, branch: string, commit?: string): Promise<string> {
  const { url: remoteUrl, token } = remote;
  const wanted = { remoteUrl, token, branch, baseBranch: "main", setup: [], env: {}, commit };
  const { status, body } = await program.call("PUT", "/checkout", wanted);
  expect(status).toBe(200);
  return String(body?.head);
}

/** Adds a commit to main on the remote. */
async function addCommit(): Promise<string> {
  const tree = await remote.git("rev-parse", "main^{tree}");
  const commit = await remote.git("commit-tree", tree, "-p", "main", "-m", "newer");
  await remote.git("update-ref", "refs/heads/main", commit);
  return commit;
}

const git = (program: Program, ...args: string[]) =>
  execFileSync("git", args, { cwd: join(program.root, "project"), encoding: "utf8" }).trim();
const countCommits = (program: Program) => Number(git(program, "rev-list", "--count", "HEAD"));
const countPacks = (program: Program) =>
  readdirSync(join(program.root, "project/.git/objects/pack")).filter((name) => name.endsWith(".pack")).length;

test("a session begins and wakes with the newest commits of its base, and has all of them at the end", async () => {
  lengthenHistory(2_000_000);
  const base = await makeBaseOfMain();
  const { body, sendRest } = await sendHalfOfBase(session, base);
  expect(await checkOut(session, "svc/one")).toBe(await remote.git("rev-parse", "main"));
  expect(countCommits(session)).toBe(50);
  sendRest();
  expect(await body).toBe("null");
  expect(countCommits(session)).toBe(commits);
  expect(existsSync(join(session.root, "project/.git/shallow"))).toBe(false);
  git(session, "fsck", "--strict");

  const before = treeLines(session.root);
  const work = await saveWork(session, "base-1");
  expect(work.length).toBeLessThan(20_000);
  await maker.remove();
  maker = await startProgram();
  expect((await restoreWork(maker, work)).status).toBe(200);
  const woken = await sendHalfOfBase(maker, base, true);
  expect(await checkOut(maker, "svc/one")).toBe(git(session, "rev-parse", "HEAD"));
  woken.sendRest();
  expect(await woken.body).toBe("null");
  expect(treeLines(maker.root)).toEqual(before);
});

test("a session moves from the newest commits of its base to a newer one", async () => {
  lengthenHistory(2_000_000);
  const { body, sendRest } = await sendHalfOfBase(session, await makeBaseOfMain());
  const newer = await addCommit();
  const checkedOut = checkOut(session, "svc/one");
  await session.call("GET", "/files");
  sendRest();
  expect(await checkedOut).toBe(newer);
  expect(await body).toBe("null");
  expect(countCommits(session)).toBe(commits + 1);
  git(session, "fsck", "--strict");
});

test("a session whose base branch was set back to an older commit starts there", async () => {
  lengthenHistory(2_000_000);
  const { sendRest } = await sendHalfOfBase(session, await makeBaseOfMain());
  const older = await remote.git("rev-parse", "main~80");
  await remote.git("update-ref", "refs/heads/main", older);
  const checkedOut = checkOut(session, "svc/one");
  await session.call("GET", "/files");
  sendRest();
  expect(await checkedOut).toBe(older);
  expect(countCommits(session)).toBe(commits - 80);
  git(session, "fsck", "--strict");
});

test("a restore that waits for the whole base has no boundary of its history", async () => {
  lengthenHistory(2_000_000);
  expect((await restoreBase(session, await makeBaseOfMain(), false)).status).toBe(204);
  await checkOut(session, "svc/one");
  expect(countCommits(session)).toBe(commits);
});

test("a base that is made from an older one has a pack of its own newest commits only", async () => {
  lengthenHistory(2_000_000);
  expect((await restoreBase(session, await makeBaseOfMain(), false)).status).toBe(204);
  const newer = await addCommit();
  await checkOut(session, "switchyard/base", newer);
  const base = await makeBase(session, "base-2");
  expect(countPacks(session)).toBe(2);
  git(session, "fsck", "--strict");
  await maker.remove();
  maker = await startProgram();
  const { sendRest, body } = await sendHalfOfBase(maker, base);
  expect(await checkOut(maker, "svc/one")).toBe(newer);
  expect(countCommits(maker)).toBe(50);
  sendRest();
  expect(await body).toBe("null");
});

test.each([
  ["a pack of their own if the older ones are larger", 2_000_000, 2],
  ["no other pack if they are most of the history", 1, 1],
])("the newest commits of a base have %s", async (_, bytes, packs) => {
  lengthenHistory(bytes);
  await makeBaseOfMain();
  expect(countPacks(maker)).toBe(packs);
});
