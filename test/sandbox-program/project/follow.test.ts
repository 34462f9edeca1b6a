// A checkout that moves on with its base branch: the main sandbox's, and a spare's that becomes a
// session's.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkout } from "../../../src/sandbox-protocol/protocol.ts";
import { type GitRemote, startGitRemote } from "../support/git-remote.ts";
import { type Program, startProgram } from "../support/program.ts";

let remote: GitRemote;
let program: Program;
beforeEach(async () => {
  [remote, program] = await Promise.all([
    startGitRemote({ "README.md": "# Demo\n", "next.md": "next\n" }),
    startProgram(),
  ]);
});
afterEach(async () => {
  await Promise.all([remote?.stop(), program?.remove()]);
});

const checkout = (branch: string, changes: Partial<Checkout> = {}): Checkout => ({
  remoteUrl: remote.url,
  token: remote.token,
  branch,
  baseBranch: "main",
  setup: ["echo ran >> setup-runs"],
  env: {},
  ...changes,
});
const checkOut = (wanted: Checkout) => program.call("PUT", "/checkout", wanted);
const follow = (changes: Partial<Checkout> = {}) => program.call("POST", "/checkout/follow", checkout("main", changes));
const place = (path: string) => join(program.root, "project", path);
const read = (path: string) => readFileSync(place(path), "utf8");
const git = (...args: string[]) => execFileSync("git", args, { cwd: place(""), encoding: "utf8" }).trim();

/** Adds a commit to main on the remote, in which README.md has the content of next.md. */
async function moveOn(): Promise<string> {
  await remote.git("read-tree", "main");
  await remote.git("update-index", "--cacheinfo", `100644,${await remote.git("rev-parse", "main:next.md")},README.md`);
  const tree = await remote.git("write-tree");
  const commit = await remote.git("commit-tree", tree, "-p", "main", "-m", "moved on");
  await remote.git("update-ref", "refs/heads/main", commit);
  return commit;
}

test("the main checkout is on the Target Branch, moves on with it, keeps changes, and is set up again only then", async () => {
  const head = await remote.git("rev-parse", "main");
  expect((await checkOut(checkout("main"))).body).toMatchObject({ head });
  expect(git("symbolic-ref", "HEAD")).toBe("refs/heads/main");
  writeFileSync(place("mine"), "mine");
  expect((await follow()).body).toEqual({ head, moved: false });
  const next = await moveOn();
  expect((await follow()).body).toEqual({ head: next, moved: true });
  // Its caller may have missed the response, and not have restarted the services.
  expect((await follow()).body).toEqual({ head: next, moved: true });
  const services = { services: [], env: {}, restart: true };
  expect((await program.call("PUT", "/services", services)).status).toBe(204);
  expect((await follow()).body).toEqual({ head: next, moved: false });
  expect([read("README.md"), read("mine"), read("setup-runs")]).toEqual(["next\n", "mine", "ran\nran\n"]);
});

test("if local changes or commits conflict, nothing is touched, and the response says which", async () => {
  const head = await remote.git("rev-parse", "main");
  await checkOut(checkout("main"));
  writeFileSync(place("README.md"), "changed by hand\n");
  await moveOn();
  const refused = await follow();
  expect([refused.status, refused.body?.code]).toEqual([422, "GIT_REFUSED"]);
  expect(refused.body?.message).toContain("README.md");
  expect([git("rev-parse", "HEAD"), read("README.md")]).toEqual([head, "changed by hand\n"]);
  git("commit", "--quiet", "--all", "--message", "by hand");
  expect((await follow()).body?.message).toContain("has commits that main does not have");
});

test("a setup command that fails is reported where an agent is to mend it, and refuses the checkout elsewhere", async () => {
  const broken = { setup: ["echo why; exit 4"], env: { TOKEN: "canary-7f3a91" } };
  const made = await checkOut(checkout("main", { ...broken, reportsSetupFailure: true }));
  expect(made).toMatchObject({ status: 200, body: { paysABase: false } });
  expect(made.body?.setupFailure).toMatch(/`echo why; exit 4` ended with exit code 4\.\nwhy/);
  // The next start tries again.
  expect((await checkOut(checkout("main", { reportsSetupFailure: true }))).body?.setupFailure).toBeUndefined();
  expect(read("setup-runs")).toBe("ran\n");
  await moveOn();
  const reported = { ...broken, reportsSetupFailure: true };
  expect((await follow(reported)).body?.setupFailure).toContain("exit code 4");
  expect((await follow(reported)).body?.setupFailure).toContain("exit code 4");
  await moveOn();
  expect((await follow(broken)).body?.code).toBe("SETUP_FAILED");
  expect((await follow(broken)).body?.code).toBe("SETUP_FAILED");
  expect((await follow()).body?.setupFailure).toBeUndefined();
  expect(read("setup-runs")).toBe("ran\nran\n");
});

test("a spare becomes a session's checkout, at the newest commit, and is set up again only where that has moved on", async () => {
  const head = await remote.git("rev-parse", "main");
  const spareBranch = "switchyard/spare";
  await checkOut(checkout(spareBranch));
  const adopted = await checkOut(checkout("svc/one", { spareBranch }));
  expect(adopted.body).toMatchObject({ head, paysABase: false });
  expect(git("for-each-ref", "--format=%(refname)", "refs/heads")).toBe("refs/heads/main\nrefs/heads/svc/one");
  expect([git("symbolic-ref", "HEAD"), read("setup-runs")]).toEqual(["refs/heads/svc/one", "ran\n"]);
  expect(git("reflog")).toBe("");
  // Where the newest commit is known, the remote is not asked.
  const offline = await startProgram();
  try {
    await offline.call("PUT", "/checkout", checkout(spareBranch));
    const wanted = checkout("svc/three", { spareBranch, newest: head, token: "refused" });
    expect((await offline.call("PUT", "/checkout", wanted)).body).toMatchObject({ head });
  } finally {
    await offline.remove();
  }
  // A repeated call finds it done.
  expect((await checkOut(checkout("svc/one", { spareBranch }))).body).toMatchObject({ head });

  const other = await startProgram();
  try {
    await other.call("PUT", "/checkout", checkout(spareBranch));
    const next = await moveOn();
    const moved = await other.call("PUT", "/checkout", checkout("svc/two", { spareBranch }));
    expect(moved.body).toMatchObject({ head: next });
    expect(readFileSync(join(other.root, "project/setup-runs"), "utf8")).toBe("ran\nran\n");
  } finally {
    await other.remove();
  }
});
