// The checkout and its branch: cloned whole, committed under a person's name, pushed with a token
// that is never written down.
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFolders } from "../../../sandbox-program/folders.ts";
import { pushBranch } from "../../../sandbox-program/git/commit-and-push.ts";
import { startProgram } from "../support/program.ts";
import { getOutput } from "../support/transcript.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
let project: string;
beforeEach(async () => {
  world = await startWorld();
  project = join(world.program.root, "project");
});
afterEach(() => world?.end());

const author = { name: "Ada", email: "ada@example.test" };
const state = async () => (await world.program.call("GET", "/git/state?base=main")).body;
const clean = { hasUncommittedChanges: false, hasUnpushedCommits: false, hasCommitsAheadOfBase: false };
const commit = (message: string) => world.program.call("POST", "/git/commit", { message, author });
const push = (token = world.remote.token) => world.program.call("POST", "/git/push", { token });
const git = (...args: string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" }).trim();

test("a checkout has the session's branch, created from its base, and a repeat changes nothing", async () => {
  const head = await world.remote.git("rev-parse", "main");
  const again = await world.program.call("PUT", "/checkout", world.checkout);
  expect(again).toEqual({ status: 200, body: { head, paysABase: false } });
  expect(git("branch", "--show-current")).toBe("svc/work");
  expect(git("config", "remote.origin.url")).toBe(world.remote.url);
  expect(git("config", "user.email")).toBe("agent@switchyard.invalid");
  expect(await state()).toEqual(clean);
});

test("a push of a turn that was stopped ends", async () => {
  await writeFile(join(project, "new.txt"), "new\n");
  await commit("add new");
  const pushed = pushBranch(createFolders(world.program.root), { token: world.remote.token }, AbortSignal.abort());
  await expect(pushed).rejects.toThrow();
  expect(await world.remote.git("branch", "--list", "svc/work")).toBe("");
});

test("changes, commits and pushes appear in the git state one after the other", async () => {
  await writeFile(join(project, "new.txt"), "new\n");
  expect(await state()).toEqual({ ...clean, hasUncommittedChanges: true });

  const made = await commit("add new\n\n# not a comment");
  expect(made.status).toBe(200);
  expect(git("log", "-1", "--format=%H|%an|%ae|%cn|%B")).toBe(
    `${made.body?.sha}|Ada|ada@example.test|Ada|add new\n\n# not a comment`,
  );
  expect(await state()).toEqual({
    hasUncommittedChanges: false,
    hasUnpushedCommits: true,
    hasCommitsAheadOfBase: true,
  });

  expect((await push()).status).toBe(204);
  expect(await world.remote.git("rev-parse", "svc/work")).toBe(made.body?.sha);
  expect(await state()).toEqual({ ...clean, hasCommitsAheadOfBase: true });
});

test("a clean checkout has nothing to commit", async () => {
  expect(await commit("nothing")).toMatchObject({ status: 409, body: { code: "NOTHING_TO_COMMIT" } });
});

test("a nested repository is committed with its current commit only", async () => {
  const inner = join(project, "inner");
  const commitInner = () => git("-C", "inner", ...["-c", "user.name=a", "-c", "user.email=a@a"], "commit", "-qam", "m");
  git("init", "-q", "inner");
  await writeFile(join(inner, "a.txt"), "one\n");
  git("-C", "inner", "add", "a.txt");
  commitInner();
  expect((await commit("add inner")).status).toBe(200);
  await writeFile(join(inner, "a.txt"), "two\n");
  await writeFile(join(inner, "b.txt"), "new\n");
  expect(await state()).toMatchObject({ hasUncommittedChanges: false });
  expect(await commit("nothing")).toMatchObject({ body: { code: "NOTHING_TO_COMMIT" } });

  commitInner();
  git("config", "diff.ignoreSubmodules", "all");
  expect(await state()).toMatchObject({ hasUncommittedChanges: true });
  expect((await commit("move inner")).status).toBe(200);
  expect(await state()).toMatchObject({ hasUncommittedChanges: false });
});

test("a checkout in another sandbox continues the remote branch", async () => {
  await writeFile(join(project, "new.txt"), "new\n");
  await commit("add new");
  await push();
  const other = await startProgram();
  try {
    await other.call("PUT", "/checkout", world.checkout);
    expect(await readFile(join(other.root, "project/new.txt"), "utf8")).toBe("new\n");
    expect((await other.call("GET", "/git/state")).body).toEqual({ ...clean, hasCommitsAheadOfBase: true });
  } finally {
    await other.remove();
  }
});

test("a push that is behind the remote is refused with the reason, and the commit is kept", async () => {
  await writeFile(join(project, "mine.txt"), "mine\n");
  const made = await commit("mine");
  await world.remote.git("branch", "svc/work", "main");
  const tree = await world.remote.git("rev-parse", "main^{tree}");
  const theirs = await world.remote.git(
    "-c",
    "user.name=x",
    "-c",
    "user.email=x@x",
    "commit-tree",
    tree,
    "-p",
    "main",
    "-m",
    "theirs",
  );
  await world.remote.git("update-ref", "refs/heads/svc/work", theirs);
  expect(await push()).toMatchObject({
    status: 422,
    body: {
      code: "GIT_REFUSED",
      message: "The branch on the remote has commits that this sandbox does not have. Fetch it and build on them.",
    },
  });
  expect(git("rev-parse", "HEAD")).toBe(made.body?.sha);
});

test("a push that the remote refuses is answered with the remote's reason only, without the address of the gateway", async () => {
  await writeFile(join(project, "mine.txt"), "mine\n");
  await commit("mine");
  const hook = join(await world.remote.git("rev-parse", "--absolute-git-dir"), "hooks", "update");
  await writeFile(hook, "#!/bin/sh\necho 'Only pull requests change this branch.'\nexit 1\n", { mode: 0o755 });
  expect(await push()).toMatchObject({
    status: 422,
    body: {
      code: "GIT_REFUSED",
      message: [
        "The push was refused: hook declined.",
        "Only pull requests change this branch.",
        "error: hook declined to update refs/heads/svc/work",
      ].join("\n"),
    },
  });
  await rm(hook);
});

test("a wrong token and an unreachable remote have different errors", async () => {
  await writeFile(join(project, "new.txt"), "new\n");
  await commit("add new");
  expect((await push("wrong-token-123")).body?.message).toBe("The git gateway did not let the command through.");
  await world.program.call("PUT", "/checkout", { ...world.checkout, remoteUrl: "http://127.0.0.1:9/demo.git" });
  expect((await push()).body?.message).toBe("The git gateway cannot be reached.");
});

test("the token is in no file of the sandbox, and the agent pushes with its own token", async () => {
  const pushed = "git add -A && git commit -qm work && git push -q origin HEAD && echo pushed";
  const { service } = await world.runTurn([
    { write: { path: "work.txt", content: "w" } },
    { bash: pushed },
    { say: "done" },
  ]);
  await service.ended();
  expect(getOutput(service.received)).toContain("pushed");
  await push();
  expect(await world.remote.git("log", "-1", "--format=%an", "svc/work")).toBe("Switchyard Agent");
  for (const entry of await readdir(world.program.root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = await readFile(join(entry.parentPath, entry.name), "latin1");
    expect(content.includes(world.remote.token), join(entry.parentPath, entry.name)).toBe(false);
  }
});

test("hooks of the checkout do not run when the program commits or pushes", async () => {
  await mkdir(join(project, ".git/hooks"), { recursive: true });
  for (const hook of ["pre-commit", "pre-push", "post-commit"]) {
    await writeFile(join(project, ".git/hooks", hook), "#!/bin/sh\ntouch ../hooked; exit 1\n", { mode: 0o755 });
  }
  await writeFile(join(project, "new.txt"), "new\n");
  expect((await commit("add new")).status).toBe(200);
  expect((await push()).status).toBe(204);
  expect(await readdir(world.program.root)).not.toContain("hooked");
});

test("commits and pushes of the program run nothing that the checkout's configuration names", async () => {
  const trace = join(world.program.root, "traced");
  git("config", "diff.external", `touch ${trace};`);
  git("config", "credential.helper", `!touch ${trace};`);
  git("config", "protocol.ext.allow", "always");
  git("config", `url.ext::touch ${trace}.insteadOf`, world.remote.url);
  git("config", "remote.origin.pushurl", `ext::touch ${trace}`);
  await writeFile(join(project, "new.txt"), "new\n");
  expect((await commit("add new")).status).toBe(200);
  expect((await push("wrong")).status).toBe(422);
  expect((await push()).status).toBe(204);
  expect(await readdir(world.program.root)).not.toContain("traced");
});

test("an interrupted clone does not count as a checkout", async () => {
  const other = await startProgram();
  try {
    await mkdir(join(other.root, "project/.git"), { recursive: true });
    await mkdir(join(other.root, "tmp/clone/.git"), { recursive: true });
    expect((await other.call("GET", "/status")).body).toMatchObject({ checkedOut: false });
    expect(await other.call("GET", "/git/state?base=main")).toMatchObject({
      status: 409,
      body: { code: "NO_CHECKOUT" },
    });
    expect((await other.call("PUT", "/checkout", world.checkout)).status).toBe(200);
    expect(await readdir(join(other.root, "project"))).toContain("README.md");
  } finally {
    await other.remove();
  }
});

test("a failed setup command is reported with its output, and runs again on the next request", async () => {
  const other = await startProgram();
  try {
    const setup = ["echo one >> setup.txt", "echo oh no; test -e ready || exit 3"];
    const failed = await other.call("PUT", "/checkout", { ...world.checkout, setup });
    expect(failed).toMatchObject({
      status: 422,
      body: { code: "SETUP_FAILED", message: expect.stringMatching(/exit code 3[\s\S]*oh no/) },
    });
    await writeFile(join(other.root, "project/ready"), "");
    expect((await other.call("PUT", "/checkout", { ...world.checkout, setup })).status).toBe(200);
    expect((await other.call("PUT", "/checkout", { ...world.checkout, setup })).status).toBe(200);
    expect(await readFile(join(other.root, "project/setup.txt"), "utf8")).toBe("one\none\n");
  } finally {
    await other.remove();
  }
});

test("a deleted checkout is cloned again", async () => {
  await rm(project, { recursive: true });
  expect((await world.program.call("PUT", "/checkout", world.checkout)).status).toBe(200);
  expect(await readdir(project)).toContain("README.md");
});
