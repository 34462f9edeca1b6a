// What members do by hand in a checkout that an agent left in any state: it is done to the
// session's own branch, beside no turn, or refused in words that say what to do.
import { execFileSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { closedGate } from "../../support/gate.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
beforeEach(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
});
afterEach(() => world?.end());

const author = { name: "Ada", email: "ada@example.test" };
const commit = (message = "by hand") => world.program.call("POST", "/git/commit", { message, author });
const push = () => world.program.call("POST", "/git/push", { token: world.remote.token });
const get = (what: string) => world.program.call("GET", what);
const as = ["-c", "user.name=a", "-c", "user.email=a@a"];
const git = (...args: string[]) =>
  execFileSync("git", [...as, ...args], { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
const tryGit = (...args: string[]) => {
  try {
    git(...args);
  } catch {
    // A conflict is what is wanted.
  }
};
const write = (name: string, text: string) => writeFile(join(project, name), text);

/** Two branches that change the same line; the session's own is checked out. */
async function disagree(): Promise<void> {
  git("checkout", "-q", "-b", "other");
  await write("README.md", "theirs\n");
  git("commit", "-qam", "theirs");
  git("checkout", "-q", "svc/work");
  await write("README.md", "ours\n");
  git("commit", "-qam", "ours");
}

describe("a checkout during another git operation is not committed, and none of its files is staged", () => {
  test.each([
    ["a merge", ["merge", "-q", "other"]],
    ["a rebase", ["rebase", "-q", "other"]],
    ["a cherry-pick", ["cherry-pick", "other"]],
  ])("%s", async (what, command) => {
    await disagree();
    tryGit(...command);
    const before = git("status", "--porcelain");
    expect(await commit()).toMatchObject({
      status: 422,
      body: { code: "GIT_REFUSED", message: expect.stringMatching(new RegExp(`middle of ${what}.*finish or abort`)) },
    });
    expect(git("status", "--porcelain")).toBe(before);
    expect((await get("/git/state?base=main")).status).toBe(200);
    expect((await get("/git/changes?base=main")).status).toBe(200);
  });
});

describe("a checkout on another branch is neither committed nor pushed", () => {
  test.each([
    [
      "on no branch",
      ["checkout", "-q", "--detach"],
      /on no branch instead of the session's branch svc\/work.*switch back/,
    ],
    ["on another branch", ["checkout", "-q", "-b", "elsewhere"], /on the branch elsewhere instead of/],
    ["on a branch without commits", ["checkout", "-q", "--orphan", "fresh"], /on the branch fresh instead of/],
  ])("%s", async (_, command, message) => {
    git(...command);
    await write("new.txt", "new\n");
    for (const answer of [await commit(), await push()]) {
      expect(answer).toMatchObject({
        status: 422,
        body: { code: "GIT_REFUSED", message: expect.stringMatching(message) },
      });
    }
  });
});

test("a branch before its first commit can be read and committed, but not pushed", async () => {
  git("update-ref", "-d", "HEAD");
  expect((await get("/git/state?base=main")).body).toMatchObject({
    hasUncommittedChanges: true,
    hasCommitsAheadOfBase: false,
  });
  expect((await get("/git/log?base=main")).body).toEqual({ commits: [] });
  expect((await get("/git/changes?base=main")).status).toBe(200);
  expect((await get("/git/uncommitted")).body?.patch).toContain("README.md");
  expect(await push()).toMatchObject({ status: 422, body: { message: expect.stringContaining("Commit first") } });
  expect((await commit()).status).toBe(200);
});

describe("a turn that removes the repository", () => {
  beforeEach(async () => {
    await write("kept.txt", "kept\n");
    git("add", "-A");
    git("commit", "-qm", "never pushed");
    await write("README.md", "changed\n");
    await rm(join(project, ".git"), { recursive: true });
  });

  test("is reported by each request, and a repository around the sandbox is not used instead", async () => {
    execFileSync("git", ["init", "-q", world.program.root]);
    const told = { status: 409, body: { code: "NO_CHECKOUT", message: expect.stringContaining("Send a message") } };
    for (const answer of [await commit(), await push(), await get("/git/state"), await get("/files")]) {
      expect(answer).toMatchObject(told);
    }
    await mkdir(join(project, ".git"));
    await write(".git/HEAD", "broken");
    expect(await commit()).toMatchObject({ status: 422, body: { code: "GIT_REFUSED" } });
  });

  test("gets it back with its current files, and unpushed changes are not committed", async () => {
    expect((await world.program.call("PUT", "/checkout", world.checkout)).status).toBe(200);
    expect(await readFile(join(project, "kept.txt"), "utf8")).toBe("kept\n");
    expect(git("status", "--porcelain", "--branch")).toBe("## svc/work\n M README.md\n?? kept.txt");
    expect((await commit()).status).toBe(200);
    expect((await push()).status).toBe(204);
  });
});

test("a member's change is refused during a turn, and a turn that starts during a change waits for it", async () => {
  await write("new.txt", "new\n");
  const { start, service } = await world.newTurn([{ bash: "git log -1 --format=%s" }, { say: "done" }]);
  const [made, taken] = await Promise.all([commit(), world.program.call("POST", "/turns", start)]);
  // Whichever came first, the commit was whole before the agent looked, or was refused.
  expect(taken.status).toBe(202);
  expect([200, 409]).toContain(made.status);
  await service.ended();
  if (made.status === 200) expect(JSON.stringify(service.received)).toContain("by hand");

  const gate = await closedGate();
  const { service: second } = await world.runTurn([{ bash: gate.command }, { say: "done" }]);
  await write("newer.txt", "newer\n");
  const refused = { status: 409, body: { code: "TURN_RUNNING" } };
  expect(await commit()).toMatchObject(refused);
  expect(await push()).toMatchObject(refused);
  expect(await world.program.call("PUT", "/files/content", { path: "README.md", content: "x" })).toMatchObject(refused);
  gate.open();
  await second.ended();
});

test("uncommitted changes are listed with every file first, and cut at a line if they are too long", async () => {
  await write("README.md", "changed\n");
  await write("fresh.txt", "fresh\n");
  const { patch, isCut } = (await get("/git/uncommitted")).body as { patch: string; isCut: boolean };
  expect(patch).toMatch(/^ README\.md +\|[\s\S]*\n fresh\.txt +\|[\s\S]*\n\+fresh\n/);
  expect(isCut).toBe(false);
  await write("long.txt", "a line of it\n".repeat(20_000));
  const long = (await get("/git/uncommitted")).body as { patch: string; isCut: boolean };
  expect(long.isCut).toBe(true);
  expect(long.patch.length).toBeLessThanOrEqual(48 * 1_024);
  expect(long.patch.endsWith("\n")).toBe(true);
});
