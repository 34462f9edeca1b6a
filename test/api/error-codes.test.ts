// The codes of the error table that concern sends, jobs, the queue and sessions: for each, the
// requests that get it.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { type Client, clientWith, createClient, type Reply, script } from "../support/client.ts";
import { addGatedProject, addProject } from "../support/held-sandbox.ts";
import { freeSlots } from "../support/session-slots.ts";
import { until } from "../support/until.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const { sql } = createInside(world);
const never = script({ sleep: 600_000 }, { say: "never" });
const outcome = ({ status, body }: Reply) => `${status} ${body?.code ?? body?.data?.delivery ?? "done"}`;
const readCode = async (reply: Promise<Reply>) => outcome(await reply);

/** A session whose turn runs. */
async function working(client: Client = owner, model?: string) {
  const session = await client.createSession({ title: "Codes", content: never, ...(model && { model }) });
  await client.jobUntil(session.path, session.jobId, ["running"]);
  return session;
}
async function queue(path: string, content = "Waits.", client: Client = owner): Promise<string> {
  return (await client.send(path, content)).body.data.queuedMessageId;
}
async function stop(path: string, jobId: string | undefined) {
  await owner.post(`${path}/jobs/chat/${jobId}/cancel`);
  await owner.jobUntil(path, jobId);
}
/** An idle session with one queued message, a paused queue, and a running sandbox. */
async function paused(client: Client = owner) {
  const session = await working(client);
  const messageId = await queue(session.path, "Waits.", client);
  await client.post(`${session.path}/jobs/chat/${session.jobId}/cancel`);
  await client.jobUntil(session.path, session.jobId);
  return { ...session, messageId };
}

/** The session's status in the list of sandbox slots; undefined if it holds none. */
async function slotState(sessionId: string): Promise<unknown> {
  return (await sql("SELECT state FROM sandbox_slots WHERE owner_id = ?", sessionId))[0]?.state;
}
/** Ends a session's sandbox as a failing machine would, and makes the service detect it. */
async function loseSandbox(client: Client, projectId: string, id: string) {
  const health = `/api/projects/${projectId}/preview/health?sessionId=${id}`;
  const [sandboxKey] = (await client.get(health)).body.data.sandboxId.split("-");
  expect((await fetch(`${world.sandboxHostUrl}/sandboxes/${sandboxKey}`, { method: "DELETE" })).status).toBe(204);
  await until("the service to notice", async () => (await client.get(health)).body.data.needsStart);
  await until("its slot to be free", async () => (await slotState(id)) === undefined);
}

describe("a session that has ended or not started accepts no work", () => {
  const states: [string, () => Promise<string>][] = [
    ["backlog", async () => (await owner.createSession({ status: "backlog", prompt: "Later." })).path],
    ["completed", () => ended("completed")],
    ["archived", () => ended("archived")],
  ];
  async function ended(status: string) {
    const { path } = await owner.createSession({ title: "Codes" });
    await owner.put(path, { status });
    return path;
  }
  test.each(states)("%s", async (status, make) => {
    const path = await make();
    expect(await readCode(owner.send(path, "Now?"))).toBe("400 BAD_REQUEST");
    expect(await readCode(owner.post(`${path}/queue/resume`))).toBe("400 BAD_REQUEST");
    expect(await readCode(owner.post(`${path}/runtime-commands`, { command: "/clear" }))).toBe("400 BAD_REQUEST");
    expect(await readCode(owner.post(`${path}/preview/git/commit`, { message: "m" }))).toBe("400 BAD_REQUEST");
    expect(await readCode(owner.post(`${path}/preview/git/push`))).toBe("400 BAD_REQUEST");
    expect(await owner.messages(path)).toEqual([]);
    expect((await owner.get(path)).body.data.session.status).toBe(status);
  });
});

test("SESSION_UNDER_REVIEW: only people resume a session, by a message or by its queue", async () => {
  const { path } = await owner.createSession({ title: "Codes" });
  await owner.put(path, { status: "under-review" });
  const relayKeys = `/api/organizations/${world.workspaceId}/relay-keys`;
  const relay = clientWith(world, (await owner.post(relayKeys, { name: "Codes" })).body.data.key);
  for (const client of [relay, clientWith(world, world.agentTokens.ofOwner)]) {
    expect(await readCode(client.send(path, "Now?"))).toBe("400 SESSION_UNDER_REVIEW");
  }
  const agent = clientWith(world, world.agentTokens.ofOwner);
  expect(await readCode(agent.post(`${path}/queue/resume`))).toBe("400 SESSION_UNDER_REVIEW");
  expect((await owner.get(path)).body.data.session.status).toBe("under-review");
});

describe("unknown ids, and ids of others", () => {
  const one = randomUUID();
  test.each([
    ["404 NOT_FOUND", `/api/projects/${one}/chat-sessions/${one}`],
    ["404 NOT_FOUND", `${owner.sessions}/${one}`],
    ["404 NOT_FOUND", `${owner.sessions}/not-an-id`],
    ["404 NOT_FOUND", `/api/projects/${world.siblingProjectId}/chat-sessions/SESSION`],
    ["403 FORBIDDEN", `/api/projects/${world.outsideProjectId}/chat-sessions/SESSION`],
  ])("%s for a session at %s", async (expected, at) => {
    const { id } = await owner.createSession({ title: "Codes" });
    const path = at.replace("SESSION", id);
    expect(await readCode(owner.send(path, "Hello."))).toBe(expected);
    expect(await readCode(owner.get(path))).toBe(expected);
    expect(await readCode(owner.put(path, { title: "Mine" }))).toBe(expected);
    expect(await readCode(owner.delete(path))).toBe(expected);
  });

  test("a job of another session returns 403, an unknown one 404", async () => {
    const [{ path }, other] = [await owner.createSession({ title: "Codes" }), await working()];
    for (const [jobId, expected] of [
      [other.jobId, "403 FORBIDDEN"],
      [one, "404 NOT_FOUND"],
      ["job", "404 NOT_FOUND"],
    ]) {
      expect(await readCode(owner.get(`${path}/jobs/chat/${jobId}`))).toBe(expected);
      expect(await readCode(owner.post(`${path}/jobs/chat/${jobId}/cancel`))).toBe(expected);
    }
    expect((await owner.jobUntil(other.path, other.jobId, ["running"])).status).toBe("running");
    await stop(other.path, other.jobId);
  });
});

test("CREDIT_LIMIT_REACHED: a workspace over its limit starts and queues nothing, and loses nothing", async () => {
  const { path, messageId } = await paused();
  const backlog = await owner.createSession({ status: "backlog", prompt: "Later." });
  const month = new Date().toISOString().slice(0, 7);
  const before = await sql(
    "SELECT ms FROM running_time WHERE workspace_id = ? AND month = ?",
    world.workspaceId,
    month,
  );
  const setMs = (ms: unknown) =>
    sql("INSERT OR REPLACE INTO running_time (workspace_id, month, ms) VALUES (?, ?, ?)", world.workspaceId, month, ms);
  await setMs(2_001 * 3_600_000);
  try {
    const blocked = "402 CREDIT_LIMIT_REACHED";
    expect(await readCode(owner.send(path, "Now?"))).toBe(blocked);
    expect(await readCode(owner.post(`${path}/queue/${messageId}/send`))).toBe(blocked);
    expect(await readCode(owner.post(`${path}/queue/resume`))).toBe(blocked);
    expect(await readCode(owner.post(owner.sessions, { content: "Hello." }))).toBe(blocked);
    expect(await readCode(owner.post(`${backlog.path}/activate`))).toBe(blocked);
    expect(await readCode(owner.post(`${path}/preview/git/commit`, { message: "m" }))).toBe(blocked);
    expect(await readCode(owner.post(`${path}/preview/git/push`))).toBe(blocked);
    expect((await owner.get(backlog.path)).body.data.session.status).toBe("backlog");
    expect(await owner.upNext(path)).toMatchObject({ messages: [{ id: messageId }], paused: { reason: "cancelled" } });
  } finally {
    await setMs(before[0]?.ms ?? 0);
  }
  expect(await readCode(owner.send(path, script({ say: "Paid." })))).toBe("201 job");
});

test("SANDBOX_LIMIT_REACHED: no request starts more sandboxes than the plan allows", async () => {
  const outsider = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");
  const waits = await paused(outsider);
  await loseSandbox(outsider, world.outsideProjectId, waits.id);
  const first = await paused(outsider);
  const others = [await working(outsider), await working(outsider)];
  const { path } = await outsider.createSession({ title: "One too many" });
  const backlog = await outsider.createSession({ status: "backlog", prompt: script({ say: "Started." }) });
  const atLimit = "409 SANDBOX_LIMIT_REACHED";
  expect(await readCode(outsider.send(path, "Now?"))).toBe(atLimit);
  expect(await readCode(outsider.post(outsider.sessions, { content: "Hello." }))).toBe(atLimit);
  expect(await readCode(outsider.post(`${backlog.path}/activate`))).toBe(atLimit);
  expect(await readCode(outsider.send(waits.path, "Now?"))).toBe(atLimit);
  expect(await readCode(outsider.post(`${waits.path}/queue/${waits.messageId}/send`))).toBe(atLimit);
  expect(await readCode(outsider.post(`${waits.path}/queue/resume`))).toBe(atLimit);
  expect(await readCode(outsider.post(`${waits.path}/preview/git/commit`, { message: "m" }))).toBe(atLimit);
  expect(await outsider.upNext(waits.path)).toMatchObject({ messages: [{ id: waits.messageId }], paused: {} });
  expect((await outsider.get(path)).body.data.session.latestChatJob).toBe(null);
  expect((await outsider.get(backlog.path)).body.data.session).toMatchObject({ status: "backlog", branch: null });
  // A session that has its sandbox continues.
  expect(await readCode(outsider.send(first.path, script({ say: "Room for me." })))).toBe("201 job");
  await outsider.delete(others[0]?.path ?? "");
  await until(
    "the place to be free",
    async () => outcome(await outsider.post(`${backlog.path}/activate`)) === "200 job",
  );
  for (const session of [waits, first, ...others, { path }, backlog]) await outsider.delete(session.path);
});

test("SANDBOX_LIMIT_REACHED: of concurrent sends to more sessions than the plan allows, as many start as the plan allows", async () => {
  const outsider = createClient({ ...world, projectId: world.outsideProjectId }, "outsider");
  await freeSlots(world, outsider, world.outsideProjectId);
  const sessions = await Promise.all(Array.from({ length: 8 }, () => outsider.createSession({ title: "Rush" })));
  const outcomes = await Promise.all(sessions.map(({ path }) => readCode(outsider.send(path, never))));
  expect(outcomes.sort()).toEqual([...Array(3).fill("201 job"), ...Array(5).fill("409 SANDBOX_LIMIT_REACHED")]);
  for (const { path } of sessions) await outsider.delete(path);
});

test("DEPLOY_ACTIVE: while the project deploys, no sandbox is created from it, and running ones continue", async () => {
  const projectId = await addProject(world);
  const here = createClient({ ...world, projectId });
  const [running, fresh] = [await paused(here), await here.createSession({ title: "Fresh" })];
  await sql("UPDATE projects SET holds_sessions_up = 1 WHERE id = ?", projectId);
  expect(await readCode(here.send(fresh.path, "Now?"))).toBe("409 DEPLOY_ACTIVE");
  expect(await readCode(here.post(here.sessions, { content: "Hello." }))).toBe("409 DEPLOY_ACTIVE");
  const command = (path: string, name: string) => readCode(here.post(`${path}/runtime-commands`, { command: name }));
  const commit = (path: string) => readCode(here.post(`${path}/preview/git/commit`, { message: "All of it" }));
  const push = (path: string) => readCode(here.post(`${path}/preview/git/push`));
  expect([await commit(fresh.path), await push(fresh.path)]).toEqual(Array(2).fill("409 DEPLOY_ACTIVE"));
  expect([await commit(running.path), await push(running.path)]).toEqual(["400 BAD_REQUEST", "200 done"]);
  expect(await readCode(here.post(`${running.path}/queue/resume`))).toBe("204 done");
  await until("what waited to run", async () => {
    const { latestChatJob } = (await here.get(running.path)).body.data.session;
    return latestChatJob.jobNumber === 2 && latestChatJob.status === "completed";
  });
  expect(await readCode(here.send(running.path, never))).toBe("201 job");
  const { latestChatJob } = (await here.get(running.path)).body.data.session;
  // A turn that is still being handed over would start the lost sandbox again.
  await here.jobUntil(running.path, latestChatJob.id, ["running"]);
  const messageId = await queue(running.path, "Waits.", here);
  await here.post(`${running.path}/jobs/chat/${latestChatJob.id}/cancel`);
  await here.jobUntil(running.path, latestChatJob.id);
  await loseSandbox(here, projectId, running.id);
  expect([await commit(running.path), await push(running.path), await command(running.path, "/compact")]).toEqual(
    Array(3).fill("409 DEPLOY_ACTIVE"),
  );
  expect(await command(running.path, "/clear")).toBe("202 done");
  expect(await readCode(here.post(`${running.path}/queue/${messageId}/send`))).toBe("409 DEPLOY_ACTIVE");
  expect(await readCode(here.post(`${running.path}/queue/resume`))).toBe("409 DEPLOY_ACTIVE");
  expect(await here.upNext(running.path)).toMatchObject({ messages: [{ id: messageId }], paused: {} });
  for (const { path } of [running, fresh]) await here.delete(path);
});

describe("while the sandbox is still starting", () => {
  test("during a wake for a preview, a send returns SANDBOX_STARTING, and starts a turn once the sandbox runs", async () => {
    const { projectId, open } = await addGatedProject(world);
    const here = createClient({ ...world, projectId });
    const { id, path } = await here.createSession({ title: "Starting" });
    const preview = here.get(`/api/projects/${projectId}/preview?sessionId=${id}`);
    await until("the sandbox to start", async () => (await slotState(id)) === "starting");
    expect(await readCode(here.send(path, "Now?"))).toBe("409 SANDBOX_STARTING");
    expect(await here.messages(path)).toEqual([]);
    open();
    await preview;
    expect((await here.run(path, { say: "Up." })).status).toBe("completed");
    await here.delete(path);
  });

  test("a turn is pending: a second message is queued, none is steered, and a stop ends it", async () => {
    const { projectId } = await addGatedProject(world);
    const here = createClient({ ...world, projectId });
    const { path, jobId } = await here.createSession({ content: script({ say: "Hello." }) });
    const messageId = await queue(path, "Waits.", here);
    expect(await readCode(here.post(`${path}/queue/${messageId}/steer`))).toBe("409 STEER_UNAVAILABLE");
    expect(await readCode(here.post(`${path}/queue/${messageId}/send`))).toBe("409 JOB_IN_PROGRESS");
    expect((await here.jobUntil(path, jobId, ["pending"])).startedAt).toBe(null);
    expect((await here.post(`${path}/jobs/chat/${jobId}/cancel`)).status).toBe(200);
    expect((await here.jobUntil(path, jobId)).status).toBe("cancelled");
    expect(await here.upNext(path)).toMatchObject({ messages: [{ id: messageId }], paused: { reason: "cancelled" } });
    await here.delete(path);
  });
});

describe("Up next", () => {
  let session: { path: string; jobId: string | undefined };
  beforeAll(async () => {
    session = await working();
  });
  const at = (id: string, rest = "") => `${session.path}/queue/${id}${rest}`;

  test("QUEUE_FULL for the 21st message, even while one of the 20 is steered; edits and deletions still work", async () => {
    const ids: string[] = [];
    for (let place = 0; place < 20; place++) ids.push(await queue(session.path, `Number ${place}.`));
    expect(await readCode(owner.send(session.path, "One too many."))).toBe("409 QUEUE_FULL");
    expect(await readCode(owner.post(at(ids[19] ?? "", "/steer")))).toBe("200 steer");
    expect(await readCode(owner.send(session.path, "Still one too many."))).toBe("409 QUEUE_FULL");
    expect((await owner.upNext(session.path)).messages.map(({ id }) => id)).toEqual(ids.slice(0, 19));
    expect(await readCode(owner.call("PATCH", at(ids[0] ?? ""), { content: "Edited." }))).toBe("204 done");
    for (const id of ids.slice(0, 19)) expect(await readCode(owner.delete(at(id)))).toBe("204 done");
  });

  test("QUEUED_MESSAGE_GONE for a message that was steered, JOB_IN_PROGRESS for one that is sent while a turn runs", async () => {
    const [steered, waits] = [await queue(session.path), await queue(session.path)];
    await owner.post(at(steered, "/steer"));
    expect(await readCode(owner.delete(at(steered)))).toBe("409 QUEUED_MESSAGE_GONE");
    expect(await readCode(owner.call("PATCH", at(steered), { content: "x" }))).toBe("409 QUEUED_MESSAGE_GONE");
    expect(await readCode(owner.post(at(steered, "/steer")))).toBe("409 QUEUED_MESSAGE_GONE");
    expect(await readCode(owner.post(at(waits, "/send")))).toBe("409 JOB_IN_PROGRESS");
    expect(await readCode(owner.call("PATCH", at(waits), { content: "x", version: 7 }))).toBe(
      "409 QUEUED_MESSAGE_CHANGED",
    );
    expect(await readCode(owner.post(`${session.path}/queue/not-an-id/send`))).toBe("404 NOT_FOUND");
  });
});
