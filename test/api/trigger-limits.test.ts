// Triggers over the API: their model, what their sessions may cost, and what webhooks get of it.
import { afterAll, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { clientWith, createClient, script } from "../support/client.ts";
import { createCollaborator } from "../support/collaborator.ts";
import { until } from "../support/until.ts";
import { openWebhookReceiver } from "../support/webhook-receiver.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const cleo = createCollaborator(world);
const { sql } = createInside(world);
const done = script({ say: "Done." });
const path = `/api/projects/${world.projectId}/triggers`;
const workspace = `/api/organizations/${world.workspaceId}`;
const { address, sentTo, close } = await openWebhookReceiver();
afterAll(close);
/** Less than one call of a model costs. */
const almostNothing = 1e-9;

interface Rule {
  id?: string;
  do?: Record<string, unknown>;
  caps?: Record<string, unknown>;
}

async function put(rule: Rule, more: object[] = []) {
  const { version } = (await owner.get(path)).body.data;
  const does = { action: "start", prompt: done, ...rule.do };
  const when = { place: "id" };
  return await owner.put(path, {
    version,
    triggers: [{ name: "Incidents", on: "http", when, ...rule, do: does }, ...more],
  });
}

/** A trigger with its key. The API refuses limits below a cent, so they are written to D1. */
async function putTrigger(rule: Rule, lower: { field: string; usd: number } | null = null, more: object[] = []) {
  const { status, body } = await put(rule, more);
  expect(status).toBe(200);
  const [id = "", ...others]: string[] = body.data.triggers.map((trigger: { id: string }) => trigger.id);
  const { key } = (await owner.post(`${path}/${id}/key`)).body.data;
  if (lower !== null)
    await sql(
      `UPDATE triggers SET triggers = json_set(triggers, '$[0].${lower.field}', ?2) WHERE project_id = ?1`,
      world.projectId,
      lower.usd,
    );
  const call = async (place: string) => {
    const answer = await clientWith(world, key).post(`/api/triggers/${id}`, { id: place });
    expect(answer.status).toBe(202);
    return answer.body.data.run;
  };
  return { id, call, others };
}

const at = (sessionId: string) => `/api/projects/${world.projectId}/chat-sessions/${sessionId}`;
const readSession = async (id: string) => (await owner.get(`/api/chat-sessions/${id}`)).body.data.session;
const untilIdle = (id: string) =>
  until("the session to be idle", async () => (await readSession(id)).latestChatJob.status === "completed");

let made = 0;
/** Adds a webhook for the test, and returns what it got of a trigger or of the workspace. */
async function addWebhook() {
  made += 1;
  const url = `${address}/limits-${made}`;
  const events = ["trigger.limited", "spend.*"];
  const { status, body } = await owner.post(`${workspace}/webhooks`, { url, events });
  expect(status).toBe(201);
  const { id } = body.data.webhook;
  return {
    /**
     * The events of a trigger or of the workspace, each once: one with a late answer comes again.
     * Their order is not promised, and triggers of other tests may send some.
     */
    listSent: (triggerId?: string) =>
      [...new Map(sentTo(new URL(url).pathname).map(({ headers, body }) => [headers["webhook-id"], body])).values()]
        .map((body) => JSON.parse(body))
        .filter(({ data }) => data.triggerId === triggerId)
        .toSorted((one, other) => (one.type + one.data.reason < other.type + other.data.reason ? 1 : -1)),
    remove: async () => expect((await owner.delete(`${workspace}/webhooks/${id}`)).status).toBe(204),
  };
}

const listModels = async (provider: string) =>
  (await owner.get("/api/models")).body.data.filter((model: { provider: string }) => model.provider === provider);
const connect = (needsReauth: number) =>
  sql(
    "UPDATE provider_logins SET needs_reauth = ?2 WHERE owner_id = ?1 AND provider = 'zai'",
    world.workspaceId,
    needsReauth,
  );

test("a trigger has a model, which the workspace has to be able to run", async () => {
  const [usual, chosen] = await listModels("zai");
  const { id, call } = await putTrigger({ do: { model: chosen.value } });
  const { sessionId, outcome } = await call("a");
  expect(outcome).toBe("started");
  expect((await readSession(sessionId)).model).toBe(chosen.value);
  await untilIdle(sessionId);
  const sent = await owner.post(`${at(sessionId)}/jobs/chat`, { content: done, model: usual.value });
  await owner.jobUntil(at(sessionId), sent.body.data.chatJobId);
  expect((await readSession(sessionId)).model).toBe(usual.value);
  expect(await call("a")).toMatchObject({ outcome: "sent", sessionId });
  expect((await readSession(sessionId)).model).toBe(chosen.value);

  await connect(1);
  const runs = [await call("a"), await call("b")];
  const [kept, renamed] = [await put({ id, do: { model: chosen.value } }), await put({ do: { model: usual.value } })];
  await connect(0);
  expect(runs).toMatchObject([
    { outcome: "skipped", reason: "no_credentials" },
    { outcome: "skipped", reason: "no_credentials", sessionId: null },
  ]);
  expect(kept.status).toBe(200);
  for (const { status, body } of [renamed, await put({ do: { model: "nope:none" } })]) {
    expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(JSON.stringify(body)).toContain("triggers.0.do.model");
  }
});

test.each([
  ["a session", { do: { sessionLimitUsd: 0.001 } }],
  ["a day", { caps: { perDayUsd: 0 } }],
  ["a day of too much", { caps: { perDayUsd: 1_000_001 } }],
])("a limit of %s below a cent or too high is refused", async (_, rule) => {
  expect((await put(rule)).body.code).toBe("VALIDATION_ERROR");
});

test("a session's turns cost up to its limit until a person writes", async () => {
  const { call } = await putTrigger({}, { field: "do.sessionLimitUsd", usd: almostNothing });
  const { sessionId } = await call("a");
  await untilIdle(sessionId);
  const event = { event: "http", payload: { id: "a" } };
  expect((await owner.post(`${path}/try`, event)).body.data.triggers).toMatchObject([{ reason: "cap_spend" }]);
  expect(await call("a")).toMatchObject({ outcome: "skipped", reason: "cap_spend", sessionId });
  await owner.run(at(sessionId), { say: "A person looked." });
  expect(await call("a")).toMatchObject({ outcome: "sent", reason: null, sessionId });
  expect(await call("b")).toMatchObject({ outcome: "started" });
});

test("failed checks are left to a person once the session's limit is reached", async () => {
  const { listSent, remove } = await addWebhook();
  const bash = "git add -A && git commit -qm mine && git push -q origin HEAD";
  const prompt = script({ write: { path: "limits.txt", content: "mine\n" } }, { bash }, { say: "Pushed." });
  const mend = { name: "Mend", on: "checks_failed", do: { prompt: done } };
  const { call, others } = await putTrigger({ do: { prompt } }, { field: "do.sessionLimitUsd", usd: almostNothing }, [
    mend,
  ]);
  const [triggerId] = others;
  const { sessionId } = await call("a");
  await untilIdle(sessionId);
  const { branch } = await readSession(sessionId);
  const { number } = await cleo.call("POST", "/pulls", { title: "Notes", head: branch, base: "main" });
  await until("the pull request to be known", async () => (await readSession(sessionId)).prNumber === number);
  const head_sha = await cleo.atHost("rev-parse", branch);
  await cleo.call("POST", "/check-runs", { name: "test", head_sha, conclusion: "failure" });
  await until("the event", async () => listSent(triggerId).length > 0);
  expect(listSent(triggerId).map(({ type, data }) => ({ type, data }))).toMatchObject([
    { type: "trigger.limited", data: { triggerId, reason: "cap_spend", sessionId } },
  ]);
  const runs = await owner.get(`/api/projects/${world.projectId}/trigger-runs?triggerId=${triggerId}`);
  expect(runs.body.data).toMatchObject([{ outcome: "skipped", reason: "cap_spend", sessionId }]);
  expect((await owner.messages(at(sessionId))).filter(({ role }: { role: string }) => role === "user")).toHaveLength(1);
  await remove();
});

test("all sessions of a trigger cost up to its limit of the day, and webhooks get it once", async () => {
  const { listSent, remove } = await addWebhook();
  const { id: triggerId, call } = await putTrigger(
    { caps: { perDayUsd: 1 } },
    { field: "caps.perDayUsd", usd: almostNothing },
  );
  const { sessionId } = await call("a");
  await untilIdle(sessionId);
  const spent = async () => (await sql("SELECT 1 FROM usage WHERE trigger_id = ?1", triggerId)).length > 0;
  await until("the usage of the session", spent);
  const event = { event: "http", payload: { id: "b" } };
  expect((await owner.post(`${path}/try`, event)).body.data.triggers).toMatchObject([{ reason: "cap_spend" }]);
  for (const place of ["a", "b", "c"])
    expect(await call(place)).toMatchObject({ outcome: "skipped", reason: "cap_spend", sessionId: null });
  await until("two events", async () => listSent(triggerId).length === 2);
  const about = { workspaceId: world.workspaceId, projectId: world.projectId, triggerId, by: null };
  expect(listSent(triggerId).map(({ type, data }) => ({ type, data }))).toEqual([
    { type: "trigger.limited", data: { ...about, reason: "cap_spend", sessionId: null } },
    { type: "spend.limit_reached", data: { ...about, limit: "trigger", limitUsd: almostNothing } },
  ]);
  await until("nothing is kept", async () => (await sql("SELECT id FROM webhook_events")).length === 0);
  await remove();
});

test("each limit of a trigger is an event once a day", async () => {
  const { listSent, remove } = await addWebhook();
  const { id, call } = await putTrigger({ do: { action: "start" }, caps: { perDay: 4, attempts: 1 } });
  const runs = [];
  for (const place of ["a", "a", "a", "b", "a", "c", "d", "e"]) runs.push(await call(place));
  expect(runs.map(({ reason, outcome }) => reason ?? outcome)).toEqual([
    ...["started", "sent", "cap_attempts", "started", "cap_attempts", "started", "cap_day", "cap_day"],
  ]);
  await until("two events", async () => listSent(id).length === 2);
  expect(listSent(id).map(({ data: { reason, sessionId } }) => [reason, sessionId])).toEqual([
    ["cap_day", null],
    ["cap_attempts", runs[0].sessionId],
  ]);
  await remove();
});

test("a workspace that reaches its limit of the month is an event", async () => {
  const { listSent, remove } = await addWebhook();
  const usage = (await owner.get(`${workspace}/usage`)).body.data;
  const limitUsd = (usage.total.costUsd ?? 0) + almostNothing;
  expect((await owner.patch(workspace, { spendLimitUsd: limitUsd })).status).toBe(200);
  const session = await owner.createSession({ content: done });
  await owner.jobUntil(session.path, session.jobId);
  await until("the event", async () => listSent().length > 0);
  const refused = await owner.post(`${session.path}/jobs/chat`, { content: done });
  expect((await owner.patch(workspace, { spendLimitUsd: null })).status).toBe(200);
  expect(refused.body.code).toBe("CREDIT_LIMIT_REACHED");
  expect(listSent().map(({ type, data }) => ({ type, data }))).toEqual([
    { type: "spend.limit_reached", data: { workspaceId: world.workspaceId, limit: "workspace", limitUsd, by: null } },
  ]);
  await remove();
});
