// What a turn's own git pass lets through: fetches, and pushes to the session's branch. The pass is taken from the agent's shell, as code
// that the agent runs could take it.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { clientOf, script } from "../support/client.ts";
import { git } from "../support/git.ts";
import { exchange } from "../support/http-exchange.ts";
import { until } from "../support/until.ts";

const world = inject("world");
const owner = clientOf(world);
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
  const steps = [{ bash: "env | base64 -w0" }, { sleep: 120_000 }, { say: "never" }];
  const created = await owner.createSession({ title: "Git gateway", content: script(...steps) });
  session = created.path;
  chatJobId = created.jobId ?? "";
  branch = (await owner.get(session)).body.data.session.branch;
  const { repository } = (await owner.get(`/api/projects/${world.projectId}`)).body.data;
  bare = `${world.stateDir}/forge/repositories/${repository}.git`;
  const told = await until("the turn to tell its environment", async () => {
    const [block] = await owner.blocksOf(session, chatJobId);
    return block?.status === "completed" && atob(String(block.output));
  });
  const variables = told.split("\n").map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []);
  access = Object.fromEntries(variables.filter(([name]) => name?.startsWith("GIT_CONFIG_")));
  remote = /^http\.(.+)\.extraHeader$/.exec(access.GIT_CONFIG_KEY_0 ?? "")?.[1] ?? "";
  work = join(scratch, "work");
});

afterAll(async () => {
  await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
  await rm(scratch, { recursive: true, force: true });
});

const inWork = (...args: string[]) => git(work, args, { ...access, ...identity });
const refsAtForge = async () => (await git(scratch, ["--git-dir", bare, "for-each-ref"])).stdout;

async function commitSomething() {
  await writeFile(join(work, "something.txt"), crypto.randomUUID());
  await inWork("add", "--all");
  expect((await inWork("commit", "-qm", "Something")).exitCode).toBe(0);
}

test("the repository can be cloned with it, and the session's branch pushed", async () => {
  const cloned = await git(scratch, ["clone", "--quiet", remote, "work"], access);
  expect([cloned.exitCode, cloned.stderr]).toEqual([0, ""]);
  await commitSomething();
  const pushed = await inWork("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
  expect([pushed.exitCode, pushed.stderr]).toEqual([0, ""]);
  const head = (await inWork("rev-parse", "HEAD")).stdout;
  expect(await refsAtForge()).toContain(`${head} commit\trefs/heads/${branch}`);
});

describe("everything else is refused, and nothing at the code host changes", () => {
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
    const before = await refsAtForge();
    const [flags, specs] = [refs(branch).filter((ref) => ref.startsWith("-")), refs(branch)];
    const pushed = await inWork("push", ...flags, "origin", ...specs.filter((ref) => !ref.startsWith("-")));
    expect(pushed.exitCode).not.toBe(0);
    expect(pushed.stderr).toMatch(/403/);
    expect(await refsAtForge()).toBe(before);
  });
});

test("it calls no model and opens no turn link: what a checkout's own code can read is for git alone", async () => {
  const [name = "", value = ""] = (access.GIT_CONFIG_VALUE_0 ?? "").split(": ");
  const model = { method: "POST", path: "/internal/models/anthropic/v1/messages", headers: { [name]: value } };
  expect((await exchange(world.baseUrl, { ...model, body: "{}" })).status).toBe(401);
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const headers = { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", [name]: value };
  expect((await exchange(world.baseUrl, { path: "/internal/turn-link", headers })).status).toBe(401);
});

test("the address alone, without the pass, opens nothing", async () => {
  const listed = await git(scratch, ["ls-remote", remote]);
  expect(listed.exitCode).not.toBe(0);
  expect(listed.stdout).toBe("");
});

test("the pass dies with its turn: neither a fetch nor a push goes through", async () => {
  expect((await inWork("fetch", "origin")).exitCode).toBe(0);
  await owner.post(`${session}/jobs/chat/${chatJobId}/cancel`);
  expect((await owner.jobUntil(session, chatJobId)).status).toBe("cancelled");
  await commitSomething();
  const before = await refsAtForge();
  const late = [await inWork("fetch", "origin"), await inWork("push", "origin", `HEAD:refs/heads/${branch}`)];
  for (const { exitCode, stderr } of late) {
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/403/);
  }
  expect(await refsAtForge()).toBe(before);
});
