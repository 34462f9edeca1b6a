// Which branches of the remote a checkout holds: its own and its base branch, and each other once
// somebody fetches it.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { getTokenEnvironment } from "../../../sandbox-program/git/gateway-remote.ts";
import type { Checkout } from "../../../src/sandbox-protocol/protocol.ts";
import { type GitRemote, startGitRemote } from "../support/git-remote.ts";
import { type Program, startProgram } from "../support/program.ts";

let remote: GitRemote;
let program: Program;
beforeEach(async () => {
  [remote, program] = await Promise.all([startGitRemote(), startProgram()]);
});
afterEach(async () => {
  await Promise.all([remote?.stop(), program?.remove()]);
});

const checkOut = (changes: Partial<Checkout> = {}) =>
  program.call("PUT", "/checkout", {
    ...{ remoteUrl: remote.url, token: remote.token, branch: "svc/own", baseBranch: "main", setup: [], env: {} },
    ...changes,
  });
async function git(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, ...getTokenEnvironment({ remoteUrl: remote.url, token: remote.token }) };
  return (await promisify(execFile)("git", args, { cwd: join(program.root, "project"), env })).stdout.trim();
}
const tracked = async () =>
  (await git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/origin")).split("\n");

/** Puts a commit on a branch of the remote. Answers it. */
async function commitThere(branch: string): Promise<string> {
  const commit = await remote.git("commit-tree", "main^{tree}", "-p", "main", "-m", branch);
  await remote.git("update-ref", `refs/heads/${branch}`, commit);
  return commit;
}

test("a clone has the base branch with its tags, and no other branches", async () => {
  await remote.git("tag", "v1", "main");
  const other = await commitThere("other");
  expect((await checkOut()).status).toBe(200);
  expect(await tracked()).toEqual(["HEAD", "main"]);
  expect(await git("tag")).toBe("v1");
  await expect(git("cat-file", "-e", other)).rejects.toThrow();
});

test("a clone has the session's branch if it exists", async () => {
  const own = await commitThere("svc/own");
  await commitThere("other");
  expect((await checkOut()).body).toMatchObject({ head: own });
  expect(await tracked()).toEqual(["HEAD", "main", "svc/own"]);
});

test("work on a branch continues after its base branch was deleted", async () => {
  await commitThere("release");
  const own = await commitThere("svc/own");
  await remote.git("update-ref", "-d", "refs/heads/release");
  expect((await checkOut({ baseBranch: "release" })).body).toMatchObject({ head: own });
  expect((await checkOut({ baseBranch: "release" })).status).toBe(200);
});

test("another branch can be compared with after the service has fetched it", async () => {
  await commitThere("other");
  await checkOut();
  expect((await program.call("GET", "/git/changes?base=other")).body).toMatchObject({ code: "GIT_REFUSED" });
  const fetchBranch = (branch: string) => program.call("POST", "/git/branch", { branch, token: remote.token });
  expect((await fetchBranch("other")).status).toBe(204);
  expect((await fetchBranch("other")).status).toBe(204);
  expect((await program.call("GET", "/git/changes?base=other")).body).toEqual({ files: [] });
  expect((await fetchBranch("nowhere")).body).toEqual({
    code: "GIT_REFUSED",
    message: "The remote has no branch nowhere.",
  });
});

test("the agent's git fetches another branch by its name, and all of them without one", async () => {
  const other = await commitThere("other");
  await commitThere("third");
  await checkOut();
  await git("fetch", "--quiet", "origin", "other");
  expect(await git("rev-parse", "origin/other")).toBe(other);
  await git("fetch", "--quiet");
  expect(await tracked()).toEqual(["HEAD", "main", "other", "third"]);
});
