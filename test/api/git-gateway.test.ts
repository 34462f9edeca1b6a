// What a turn's own git token permits: fetches, and pushes to the session's branch. The test takes
// the token from the agent's shell, as code that the agent runs could.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { longestTurnMs } from "../../src/rules/limits.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { git } from "../support/git.ts";
import { exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";

const world = apiWorld();
const owner = createClient(world);
const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@a", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@a" };
let session: string;
let chatJobId: string;
let branch: string;
let bare: string;
let remote: string;
let access: Record<string, string>;
let scratch: string;
let work: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "switchyard-git-"));
  const steps = [{ bash: "env | base64 -w0" }, { sleep: 600_000 }, { say: "never" }];
  const created = await owner.createSession({ title: "Git gateway", content: script(...steps) });
  session = created.path;
  chatJobId = created.jobId ?? "";
  branch = (await owner.get(session)).body.data.session.branch;
  const { repository } = (await owner.get(`/api/projects/${world.projectId}`)).body.data;
  bare = `${world.stateDir}/forge/repositories/${repository}.git`;
  const told = await until("the turn to tell its environment", async () => {
    const [block] = await owner.listBlocks(session, chatJobId);
    return block?.status === "completed" && atob(String(block.output));
  });
  const variables = told.split("\n").map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []);
  access = Object.fromEntries(variables.filter(([name]) => name?.startsWith("GIT_CONFIG_")));
  remote = /^http\.(.+)\.extraHeader$/.exec(access.GIT_CONFIG_KEY_0 ?? "")?.[1] ?? "";
  work = join(scratch, "work");
});

afterAll(async () => {
  await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
  // Other tests clone the same repository, and would contain what was pushed here.
  await git(scratch, ["--git-dir", bare, "update-ref", "-d", `refs/heads/${branch}`]);
  await rm(scratch, { recursive: true, force: true });
});

// Uncompressed, because the pushed content is random.
const inWork = (...args: string[]) => git(work, ["-c", "core.compression=0", ...args], { ...access, ...identity });
const authorization = () => ({ authorization: (access.GIT_CONFIG_VALUE_0 ?? "").replace(/^Authorization: /, "") });
const refsAtCodeHost = async () => (await git(scratch, ["--git-dir", bare, "for-each-ref"])).stdout;

async function commitSomething() {
  await writeFile(join(work, "something.txt"), crypto.randomUUID());
  await inWork("add", "--all");
  expect((await inWork("commit", "-qm", "Something")).exitCode).toBe(0);
}

test("a token can clone the repository and push the session's branch", async () => {
  const cloned = await git(scratch, ["clone", "--quiet", remote, "work"], access);
  expect([cloned.exitCode, cloned.stderr]).toEqual([0, ""]);
  await commitSomething();
  const pushed = await inWork("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  expect([pushed.exitCode, pushed.stderr]).toEqual([0, ""]);
  const head = (await inWork("rev-parse", "HEAD")).stdout;
  expect(await refsAtCodeHost()).toContain(`${head} commit\trefs/heads/${branch}`);
});

test("a push that changes a workflow is refused with a message that says what to do", async () => {
  const before = await refsAtCodeHost();
  await mkdir(join(work, ".github/workflows"), { recursive: true });
  await writeFile(join(work, ".github/workflows/ci.yml"), "on: push\n");
  await commitSomething();
  const pushed = await inWork("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  expect(pushed.exitCode).not.toBe(0);
  expect(pushed.stderr).toMatch(/changes \.github\/workflows.*take these files out of the commits/);
  expect(await refsAtCodeHost()).toBe(before);
  await inWork("reset", "--quiet", "--hard", "HEAD~1");
});

describe("every other push is refused, and nothing changes at the code host", () => {
  const pushes: Record<string, (own: string) => string[]> = {
    "another branch": () => ["HEAD:refs/heads/another"],
    "the Target Branch": () => ["HEAD:refs/heads/main"],
    "the Target Branch by force": () => ["--force", "HEAD:refs/heads/main"],
    "a branch below the session's own": (own) => [`HEAD:refs/heads/${own}-more`],
    "a branch named like a path to it": (own) => [`HEAD:refs/heads/heads/${own}`],
    "the own branch in other letters": (own) => [`HEAD:refs/heads/${own.toUpperCase()}`],
    "a tag": () => ["HEAD:refs/tags/v1"],
    "a tag named like the own branch": (own) => [`HEAD:refs/tags/${own}`],
    "a note": () => ["HEAD:refs/notes/commits"],
    "the own branch and another": (own) => [`HEAD:refs/heads/${own}`, "HEAD:refs/heads/another"],
    "another and the own branch": (own) => ["HEAD:refs/heads/another", `HEAD:refs/heads/${own}`],
    "the own branch deleted": (own) => [`:refs/heads/${own}`],
    "the Target Branch deleted": () => [":refs/heads/main"],
    "all that is here, as a mirror": () => ["--mirror"],
  };
  test.each(Object.entries(pushes))("%s", async (_, refs) => {
    await commitSomething();
    const before = await refsAtCodeHost();
    const [flags, specs] = [refs(branch).filter((ref) => ref.startsWith("-")), refs(branch)];
    const pushed = await inWork("push", ...flags, "origin", ...specs.filter((ref) => !ref.startsWith("-")));
    expect(pushed.exitCode).not.toBe(0);
    expect(pushed.stderr).toContain(`only ${branch} can be pushed from here`);
    expect(await refsAtCodeHost()).toBe(before);
  });

  test("push options", async () => {
    await commitSomething();
    await git(scratch, ["--git-dir", bare, "config", "receive.advertisePushOptions", "true"]);
    const pushed = await inWork("push", "--push-option", "ci.skip", "origin", `HEAD:refs/heads/${branch}`);
    expect(pushed.stderr).toContain("push options are not forwarded");
    await git(scratch, ["--git-dir", bare, "config", "--unset", "receive.advertisePushOptions"]);
  });

  test("a signed push, and an invalid push", async () => {
    const before = await refsAtCodeHost();
    for (const body of ["0013push-cert\0atomic0000", "PACK", "0000 and more", "+00c"]) {
      const headers = { "content-type": "application/x-git-receive-pack-request", ...authorization() };
      const path = `${new URL(remote).pathname}/git-receive-pack`;
      const { status, text } = await exchange(world.baseUrl, { method: "POST", path, headers, body });
      if (body.startsWith("0000")) expect([status, text]).toEqual([200, ""]);
      else expect([status, text]).toEqual([400, expect.stringContaining("could not be read")]);
    }
    expect(await refsAtCodeHost()).toBe(before);
  });

  test("a compressed push is inspected too", async () => {
    const before = await refsAtCodeHost();
    const line = `${"0".repeat(40)} ${"a".repeat(40)} refs/heads/another\0report-status`;
    const packet = `${(line.length + 4).toString(16).padStart(4, "0")}${line}0000`;
    const headers = {
      "content-type": "application/x-git-receive-pack-request",
      "content-encoding": "gzip",
      ...authorization(),
    };
    const answer = await fetch(`${remote}/git-receive-pack`, { method: "POST", headers, body: gzipSync(packet) });
    expect(await answer.text()).toContain(`ng refs/heads/another only ${branch} can be pushed from here`);
    const other = { ...headers, "content-encoding": "br" };
    expect((await fetch(`${remote}/git-receive-pack`, { method: "POST", headers: other, body: packet })).status).toBe(
      415,
    );
    expect(await refsAtCodeHost()).toBe(before);
  });

  test("any request but git's three smart HTTP requests", async () => {
    const asked: [string, string, number][] = [
      ["GET", "HEAD", 404],
      ["GET", "objects/info/packs", 404],
      ["GET", "info/refs", 404],
      ["GET", "info/refs?service=git-upload-archive", 404],
      ["POST", "git-upload-archive", 404],
      ["POST", "info/refs?service=git-upload-pack", 405],
      ["GET", "git-receive-pack", 405],
      ["PUT", "git-receive-pack", 405],
    ];
    for (const [method, path, status] of asked) {
      const answer = await fetch(`${remote}/${path}`, { method, headers: authorization() });
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
  });
});

describe("the commits that others pushed to the branch", () => {
  const own = () => `HEAD:refs/heads/${branch}`;
  const headAtCodeHost = () =>
    git(scratch, ["--git-dir", bare, "rev-parse", `refs/heads/${branch}`]).then((one) => one.stdout);
  /** Another user's commit on top of the branch. */
  async function commitOfOthers(): Promise<string> {
    const head = await headAtCodeHost();
    const inBare = (...args: string[]) => git(scratch, ["--git-dir", bare, ...args], identity);
    const { stdout } = await inBare("commit-tree", `${head}^{tree}`, "-p", head, "-m", "By somebody else");
    await inBare("update-ref", `refs/heads/${branch}`, stdout);
    return stdout;
  }

  test("the session's own commits can be rewritten as long as no commits of others are on top", async () => {
    await commitSomething();
    expect((await inWork("push", "--force", "origin", own())).exitCode).toBe(0);
    await inWork("commit", "--quiet", "--amend", "-m", "Better");
    expect((await inWork("push", "origin", own())).stderr).toContain("non-fast-forward");
    const forced = await inWork("push", "--force", "origin", own());
    expect([forced.exitCode, await headAtCodeHost()]).toEqual([0, (await inWork("rev-parse", "HEAD")).stdout]);
  });

  test("cannot be deleted by a forced push, whether the service knows of them or not, and can be built upon", async () => {
    const theirs = await commitOfOthers();
    await commitSomething();
    const refused = "others have pushed to this branch";
    expect((await inWork("push", "--force", "origin", own())).stderr).toContain(refused);
    await inWork("fetch", "--quiet", "origin", branch);
    expect((await inWork("push", "--force", "origin", own())).stderr).toContain(refused);
    expect(await headAtCodeHost()).toBe(theirs);
    await inWork("merge", "--quiet", "--no-edit", "FETCH_HEAD");
    const pushed = await inWork("push", "--quiet", "origin", own());
    expect([pushed.exitCode, pushed.stderr]).toEqual([0, ""]);
    expect(await headAtCodeHost()).toBe((await inWork("rev-parse", "HEAD")).stdout);
  });

  test("cannot be deleted later either, when the session's commits around them are rewritten", async () => {
    const merged = await headAtCodeHost();
    await inWork("reset", "--quiet", "--hard", "origin/main");
    await commitSomething();
    expect((await inWork("push", "--force", "origin", own())).stderr).toContain("others have pushed to this branch");
    expect(await headAtCodeHost()).toBe(merged);
    await inWork("reset", "--quiet", "--hard", `${merged}^2`);
    await commitSomething();
    const rebased = await inWork("push", "--force", "--quiet", "origin", own());
    expect([rebased.exitCode, rebased.stderr]).toEqual([0, ""]);
    const kept = await git(scratch, ["--git-dir", bare, "merge-base", "--is-ancestor", `${merged}^2`, branch]);
    expect(kept.exitCode).toBe(0);
  });
});

test("a push that is larger than every buffer succeeds, and a clone returns it", async () => {
  // Git buffers 1 MiB before it streams, and the gateway inspects 4 MiB.
  const large = randomBytes(16 * 1_024 * 1_024);
  await writeFile(join(work, "large.bin"), large);
  await commitSomething();
  const pushed = await inWork("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  expect([pushed.exitCode, pushed.stderr]).toEqual([0, ""]);
  const cloned = await git(scratch, ["clone", "--quiet", "--branch", branch, remote, "large"], access);
  expect([cloned.exitCode, cloned.stderr]).toEqual([0, ""]);
  expect((await readFile(join(scratch, "large/large.bin"))).equals(large)).toBe(true);
});

test("a large push that is refused says why, and so does a request that decompresses without end", async () => {
  await writeFile(join(work, "large.bin"), randomBytes(16 * 1_024 * 1_024));
  await commitSomething();
  const pushed = await inWork("push", "--quiet", "origin", "HEAD:refs/heads/another");
  expect(pushed.stderr).toContain(`only ${branch} can be pushed from here`);
  const line = `${"0".repeat(40)} ${"a".repeat(40)} refs/heads/another\0report-status`;
  const head = `${(line.length + 4).toString(16).padStart(4, "0")}${line}0000PACK`;
  const known = (await inWork("rev-parse", "origin/main")).stdout;
  const want = Buffer.from(`0032want ${known}\n`.repeat(200_000));
  const ask = async (service: string, bytes: Uint8Array) => {
    const headers = { "content-type": `application/x-${service}-request`, "content-encoding": "gzip" };
    const body = new Uint8Array(gzipSync(bytes));
    return await fetch(`${remote}/${service}`, { method: "POST", headers: { ...headers, ...authorization() }, body });
  };
  const zeros = Buffer.alloc(256 * 1_024 * 1_024);
  const refused = await ask("git-receive-pack", Buffer.concat([Buffer.from(head), zeros]));
  expect(await refused.text()).toContain(`only ${branch} can be pushed from here`);
  const long = await ask("git-upload-pack", want);
  expect([long.status, await long.text()]).toEqual([200, expect.stringMatching(/^[0-9a-f]{4}ERR .*more than 8 MiB/)]);
});

test.each([0, 1, 2])("version %i of git's protocol is supported", async (version) => {
  const config = ["-c", `protocol.version=${version}`];
  expect((await inWork(...config, "fetch", "origin", branch)).exitCode).toBe(0);
  await commitSomething();
  const pushed = await inWork(...config, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  expect([pushed.exitCode, pushed.stderr]).toEqual([0, ""]);
});

test("the token of the checkout's git grants neither model calls nor the turn link", async () => {
  const [name = "", value = ""] = (access.GIT_CONFIG_VALUE_0 ?? "").split(": ");
  const model = { method: "POST", path: "/internal/models/anthropic/v1/messages", headers: { [name]: value } };
  expect((await exchange(world.baseUrl, { ...model, body: "{}" })).status).toBe(401);
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const headers = { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", [name]: value };
  expect((await exchange(world.baseUrl, { path: "/internal/turn-link", headers })).status).toBe(401);
});

test("the token is valid for as long as the longest turn, also for a late push", () => {
  const claims = authorization().authorization.split(".").at(-2) ?? "";
  const { expiresAt } = JSON.parse(Buffer.from(claims, "base64url").toString());
  expect(expiresAt - Date.now()).toBeGreaterThan(longestTurnMs - 10 * 60_000);
});

test("the URL without the token grants nothing", async () => {
  const listed = await git(scratch, ["ls-remote", remote]);
  expect(listed.exitCode).not.toBe(0);
  expect(listed.stdout).toBe("");
});

test("the token is refused after its turn, for fetches and pushes", async () => {
  expect((await inWork("fetch", "origin")).exitCode).toBe(0);
  await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
  expect((await owner.jobUntil(session, chatJobId)).status).toBe("cancelled");
  await commitSomething();
  const before = await refsAtCodeHost();
  const late = [await inWork("fetch", "origin"), await inWork("push", "origin", `HEAD:refs/heads/${branch}`)];
  for (const { exitCode, stderr } of late) {
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/403/);
  }
  expect(await refsAtCodeHost()).toBe(before);
});
