// Webhooks of the code host: which senders are accepted, and what happens to sessions when their
// pull requests, branches and checks change there.
import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { demoRepository as repository } from "../../practice/seed.ts";
import { apiWorld } from "../support/api-world.ts";
import { createClient, script } from "../support/client.ts";
import { openStream } from "../support/event-stream.ts";
import { git } from "../support/git.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";
import { readSecrets } from "../support/world-secrets.ts";

const world = apiWorld();
const owner = createClient(world);
const { codeHostToken, codeHostWebhookSecret: secret } = readSecrets(world);
const { sql } = createInside(world);
const record = async (path: string) => (await owner.get(path)).body.data.session;
const bare = `${world.stateDir}/forge/repositories/${repository}.git`;
const repositoryId = Number(readFileSync(`${bare}/practice-id`, "utf8"));

interface Sent {
  event?: string;
  delivery?: string;
  signature?: string | null;
  contentType?: string;
}

const signed = (body: string, key = secret) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;

async function deliver(payload: unknown, { event = "pull_request", delivery = randomUUID(), ...sent }: Sent = {}) {
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const signature = sent.signature === undefined ? signed(body) : sent.signature;
  const answer = await fetch(`${world.baseUrl}/api/webhooks/github`, {
    method: "POST",
    headers: {
      "content-type": sent.contentType ?? "application/json",
      "x-github-event": event,
      "x-github-delivery": delivery,
      ...(signature === null ? {} : { "x-hub-signature-256": signature }),
    },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, code: text === "" ? null : JSON.parse(text).code, text };
}

const atCodeHost = async (...args: string[]) => (await git(world.stateDir, ["--git-dir", bare, ...args])).stdout;

async function callCodeHost(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${world.forgeUrl}/repos/${repository}${path}`, {
    method,
    headers: { authorization: `Bearer ${codeHostToken}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as { number: number };
}

/** A commit on top of a branch, with the same files. */
async function grow(from: string, message: string): Promise<string> {
  const head = await atCodeHost("rev-parse", from);
  const named = ["-c", "user.name=A", "-c", "user.email=a@a.example"];
  return await atCodeHost(...named, "commit-tree", `${head}^{tree}`, "-p", head, "-m", message);
}

/** A session whose branch has been pushed, with a commit of its own. */
async function pushed(content?: string) {
  const session = await owner.createSession({ title: "Webhooks", ...(content === undefined ? {} : { content }) });
  const { branch } = await record(session.path);
  await atCodeHost("update-ref", `refs/heads/${branch}`, await grow("main", `of ${branch}`));
  return { ...session, branch };
}

/** A session whose branch also has a pull request. */
async function proposed(wish: { content?: string; draft?: boolean } = {}) {
  const { content, draft = false } = wish;
  const { branch, ...session } = await pushed(content);
  const { number } = await callCodeHost("POST", "/pulls", { title: "A change", head: branch, base: "main", draft });
  await until("the pull request to be known", async () => (await record(session.path)).prNumber === number);
  return { ...session, branch, number };
}

/** GitHub's event for a pull request of a branch. */
const told = (branch: string, number: number, changes: Record<string, unknown> = {}) => ({
  action: "edited",
  repository: { id: repositoryId, full_name: repository },
  pull_request: {
    number,
    html_url: `https://github.example/${repository}/pull/${number}`,
    state: "open",
    draft: false,
    merged: false,
    updated_at: new Date().toISOString(),
    head: { ref: branch, sha: "a".repeat(40), repo: { id: repositoryId } },
    ...changes,
  },
});

describe("the sender", () => {
  const payload = told("svc/none", 1);

  test("has to sign with the secret, and events that do not concern sessions are ignored", async () => {
    expect(await deliver(payload)).toEqual({ status: 204, code: null, text: "" });
    for (const event of ["ping", "watch", "star"]) expect((await deliver({ zen: "x" }, { event })).status).toBe(204);
  });

  test.each([
    ["no signature", null],
    ["that of another secret", signed(JSON.stringify(payload), "another")],
    ["that of another body", signed("{}")],
    ["a short one", "sha256=00"],
    ["an empty one", ""],
    ["one of SHA-1", `sha1=${"0".repeat(40)}`],
  ])("is refused with %s", async (_, signature) => {
    expect(await deliver(payload, { signature })).toMatchObject({ status: 401, code: "UNAUTHORIZED" });
  });

  test("has to send an event name and JSON in GitHub's format", async () => {
    expect(await deliver(payload, { event: "" })).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    expect(await deliver(payload, { delivery: "" })).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    expect(await deliver({})).toMatchObject({ status: 400, code: "BAD_REQUEST" });
    expect(await deliver("{")).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
    const form = { contentType: "application/x-www-form-urlencoded" };
    expect(await deliver(payload, form)).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
  });

  test("sends at most 25 megabytes, and other events are not parsed", async () => {
    const filled = (megabytes: number) => ({ ...payload, filling: "x".repeat(megabytes * 1_024 * 1_024) });
    expect(await deliver(filled(25))).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
    expect((await deliver(filled(24))).status).toBe(204);
    expect((await deliver("{", { event: "watch" })).status).toBe(204);
  });
});

describe("a pull request", () => {
  test("that a person opened for a session's branch becomes the session's, and its changes are followed", async () => {
    const { path, number } = await proposed({ draft: true });
    expect(await record(path)).toMatchObject({
      status: "active",
      prNumber: number,
      prState: "draft",
      prUrl: `${world.forgeUrl}/${repository}/pull/${number}`,
    });
    await owner.put(path, { status: "under-review" });
    expect((await record(path)).prState).toBe("open");
  });

  test.each(["active", "under-review"])("that is merged completes the session that was %s", async (status) => {
    const { path, number, branch } = await proposed();
    await owner.put(path, { status });
    if (status === "active") expect((await record(path)).status).toBe("active");
    await callCodeHost("PUT", `/pulls/${number}/merge`);
    const ended = await until("the session to end", async () => {
      const now = await record(path);
      return now.status === "completed" && now;
    });
    expect(ended).toMatchObject({ prState: "merged", endedAt: expect.any(String), needsYouReason: null });
    expect(await atCodeHost("merge-base", branch, "main")).toBe(await atCodeHost("rev-parse", branch));
    const listed = (await owner.get(`${owner.sessions}?status=completed&pageSize=100`)).body.data;
    expect(listed.map(({ id }: { id: string }) => id)).toContain(ended.id);
  });

  test("that is closed archives the session; its turn is stopped first and its sandbox is released", async () => {
    const { id, path, jobId, number } = await proposed({ content: script({ sleep: 600_000 }, { say: "never" }) });
    await owner.jobUntil(path, jobId, ["running"]);
    await callCodeHost("PATCH", `/pulls/${number}`, { state: "closed" });
    const ended = await until("the session to end", async () => {
      const now = await record(path);
      return now.status === "archived" && now;
    });
    expect(ended).toMatchObject({ prState: "closed", latestChatJob: { status: "cancelled" } });
    await until("its slot to be free", async () => {
      return (await sql("SELECT 1 FROM sandbox_slots WHERE owner_id = ?", id)).length === 0;
    });
    // Reopening it does not bring the session back.
    await callCodeHost("PATCH", `/pulls/${number}`, { state: "open" });
    await until("the reopening to be seen", async () => (await record(path)).prState === "open");
    expect((await record(path)).status).toBe("archived");
  });

  test("whose webhooks arrive in another order has the same end state", async () => {
    const { path, branch, number } = await proposed();
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    await deliver(told(branch, number, { draft: true, updated_at: at(2_000) }));
    await until("the newest to be known", async () => (await record(path)).prState === "draft");
    await deliver(told(branch, number, { state: "closed", updated_at: at(1_000) }));
    expect(await record(path)).toMatchObject({ status: "active", prState: "draft" });
    await deliver(told(branch, number, { state: "closed", merged: true, updated_at: at(500) }));
    await until("the session to end", async () => (await record(path)).status === "completed");
  });

  test("of another number, another repository or a fork is ignored", async () => {
    const { path, branch, number } = await proposed();
    const { status, prNumber } = await record(path);
    await deliver(told(branch, number + 1_000, { state: "closed" }));
    // A repository that was created again under the same name has another id.
    const head = { ref: branch, sha: "a".repeat(40), repo: { id: 1 } };
    const ofAnother = told(branch, number, { state: "closed", head });
    for (const name of ["nobody/else", repository])
      await deliver({ ...ofAnother, repository: { id: 1, full_name: name } });
    await deliver(told(branch, number, { state: "closed", head: { ref: branch, sha: "a", repo: { id: 2 } } }));
    await deliver(told(branch, number, { state: "closed", head: { ref: branch, sha: "a", repo: null } }));
    // The id identifies the repository, whatever its name.
    const shouted = { id: repositoryId, full_name: repository.toUpperCase() };
    await deliver({ ...told(branch, number, { draft: true }), repository: shouted });
    await until("the last one to count", async () => (await record(path)).prState === "draft");
    expect(await record(path)).toMatchObject({ status, prNumber });
  });
});

describe("a push", () => {
  test("to the Target Branch makes the session behind, and one to its own branch ends that", async () => {
    const { path, branch } = await proposed();
    expect((await record(path)).isBehind).toBe(false);
    const codeHost = world.forgeUrl.replace("//", `//x-access-token:${codeHostToken}@`);
    const push = async (commit: string, ref: string) =>
      await atCodeHost("push", "--force", `${codeHost}/${repository}.git`, `${commit}:refs/heads/${ref}`);
    const was = await atCodeHost("rev-parse", "main");
    await push(await grow("main", `moves for ${branch}`), "main");
    await until("the session to be behind", async () => (await record(path)).isBehind);
    expect((await record(path)).needsYouReason).toBe("behind");

    const tree = await atCodeHost("rev-parse", `${branch}^{tree}`);
    const named = ["-c", "user.name=A", "-c", "user.email=a@a.example"];
    const merged = await atCodeHost(...named, "commit-tree", tree, "-p", branch, "-p", "main", "-m", "Merge");
    await push(merged, branch);
    await until("the session to be up to it", async () => !(await record(path)).isBehind);

    await push(await grow("main", `moves again for ${branch}`), "main");
    await until("the session to be behind again", async () => (await record(path)).isBehind);
    // Behind a branch that no longer exists.
    await push(was, "main");
    await until("the session to be up to it again", async () => !(await record(path)).isBehind);
  });

  test("of a merge makes the other sessions behind", async () => {
    const first = await proposed();
    const second = await proposed();
    await callCodeHost("PUT", `/pulls/${first.number}/merge`);
    await until("the other session to be behind", async () => (await record(second.path)).isBehind);
  });
});

describe("a check", () => {
  test("that fails makes the session need attention, until it passes or the branch moves", async () => {
    const { path, branch } = await proposed();
    const sha = await atCodeHost("rev-parse", branch);
    const needs = async (reason: string | null) =>
      await until(`the reason to be ${reason}`, async () => (await record(path)).needsYouReason === reason);
    const check = (state: string, context: string) => callCodeHost("POST", `/statuses/${sha}`, { state, context });
    await check("success", "test");
    await check("failure", "lint");
    await needs("checks_failed");
    const listed = await until("the list to show it", async () => {
      const { data } = (await owner.get("/api/chat-sessions?needsYou=true&pageSize=100")).body;
      return data.find((session: { sessionPath: string }) => session.sessionPath === path);
    });
    expect(listed.needsYouReason).toBe("checks_failed");
    expect(Object.keys(listed)).not.toContain("prReport");
    await check("success", "lint");
    await needs(null);
    await check("error", "lint");
    await needs("checks_failed");
    await deliver(told(branch, (await record(path)).prNumber));
    await needs(null);
  });

  test("is shown with the pull request, and the stream reports it", async () => {
    const { path, branch, number } = await proposed();
    const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
    const stream = await openStream(world.baseUrl, `${path}/events`, headers);
    const head_sha = await atCodeHost("rev-parse", branch);
    await callCodeHost("POST", "/check-runs", { name: "test", head_sha, conclusion: "failure" });
    expect(JSON.parse((await stream.received("pull_request")).data)).toEqual({ number });
    stream.leave();
    const { status, body } = await owner.get(`${path}/pull-request`);
    const checks = [expect.objectContaining({ name: "test", status: "completed", conclusion: "failure" })];
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ number, state: "open", base: "main", headSha: head_sha, isMergeable: true, checks }),
    ]);
  });

  test("that begins is reported, and one that begins again no longer needs attention", async () => {
    const { path, branch, number } = await proposed();
    const head_sha = await atCodeHost("rev-parse", branch);
    const report = async (check: Record<string, unknown>) => {
      const headers = { authorization: `Bearer ${world.users.owner.apiKey}` };
      const stream = await openStream(world.baseUrl, `${path}/events`, headers);
      await callCodeHost("POST", "/check-runs", { name: "test", head_sha, ...check });
      expect(JSON.parse((await stream.received("pull_request")).data)).toEqual({ number });
      stream.leave();
      const { body } = await owner.get(`${path}/pull-request`);
      const { needsYouReason } = await record(path);
      return [body.data.checks.map((one: { status: string }) => one.status), needsYouReason];
    };
    expect(await report({ status: "queued" })).toEqual([["queued"], null]);
    expect(await report({ status: "in_progress" })).toEqual([["in_progress"], null]);
    expect(await report({ conclusion: "failure" })).toEqual([["completed"], "checks_failed"]);
    expect(await report({ status: "in_progress" })).toEqual([["in_progress"], null]);
  });

  test("of the head of a branch counts before the branch has a pull request", async () => {
    const { path, branch } = await pushed();
    const head_sha = await atCodeHost("rev-parse", branch);
    await callCodeHost("POST", "/check-runs", { name: "test", head_sha, conclusion: "failure" });
    const { number } = await callCodeHost("POST", "/pulls", { title: "A change", head: branch, base: "main" });
    await until("the failure to be told", async () => (await record(path)).needsYouReason === "checks_failed");
    expect((await record(path)).prNumber).toBe(number);
  });
});
