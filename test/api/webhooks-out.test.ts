// Webhooks over the API: a session's life as a receiver gets it, judged by the library of the
// standard, and what is refused. Attempts, pauses and disabling are tested with the object.
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, test } from "vitest";
import { apiWorld } from "../support/api-world.ts";
import { signIn } from "../support/browser.ts";
import { createClient } from "../support/client.ts";
import { addProject } from "../support/held-sandbox.ts";
import { until } from "../support/until.ts";
import { openWebhookReceiver, type ReceivedWebhook } from "../support/webhook-receiver.ts";
import { createInside } from "../support/world-inside.ts";

const world = apiWorld();
const owner = createClient(world);
const webhooks = () => `/api/organizations/${world.workspaceId}/webhooks`;
const { address, sentTo, close } = await openWebhookReceiver();
afterAll(close);

let made = 0;
/** Creates a webhook with a path of its own. */
async function addWebhook(body: object = {}) {
  made += 1;
  const path = `/hook-${made}`;
  const { status, body: answer } = await owner.post(webhooks(), { url: address + path, events: ["*"], ...body });
  expect(status).toBe(201);
  const { webhook, secret } = answer.data;
  const at = `${webhooks()}/${webhook.id}`;
  return { id: webhook.id as string, secret: secret as string, path, at };
}

const typesAt = (path: string) => sentTo(path).map(({ body }) => JSON.parse(body).type);
const untilSent = (path: string, type: string) => until(`${type} at ${path}`, async () => typesAt(path).includes(type));

test("a session's life reaches the receiver, signed, thin, and in the order of its sequence", async () => {
  const { secret, path, at, id } = await addWebhook({ events: ["session.*", "job.*"] });
  const words = "Brimstone heliotrope";
  const session = await owner.createSession({ title: `${words} title`, content: `${words} message` });
  await owner.jobUntil(session.path, session.jobId);
  await untilSent(path, "job.completed");
  await owner.put(session.path, { title: `${words} renamed` });
  await owner.put(session.path, { status: "archived" });
  await owner.delete(session.path);
  await untilSent(path, "session.deleted");
  const judge = new Webhook(secret);
  const events = sentTo(path)
    .map(({ body, headers }) => judge.verify(body, headers) as { type: string; data: Record<string, unknown> })
    .toSorted((a, b) => Number(a.data.sequence) - Number(b.data.sequence));
  expect(events.map(({ type }) => type)).toEqual([
    ...["session.created", "job.started", "job.completed", "session.updated"],
    ...["session.status_changed", "session.deleted"],
  ]);
  expect(new Set(sentTo(path).map(({ headers }) => headers["webhook-id"])).size).toBe(events.length);
  for (const { data } of events)
    expect(data).toMatchObject({ workspaceId: world.workspaceId, projectId: world.projectId, sessionId: session.id });
  expect(events[0]?.data.by).toEqual({ userId: world.users.owner.id, source: null });
  expect(events[3]?.data.changed).toEqual(["title"]);
  expect(events[4]?.data).toMatchObject({ from: "active", to: "archived" });
  expect(sentTo(path).filter(({ body }) => body.includes("Brimstone") || body.includes("heliotrope"))).toEqual([]);
  const [first] = sentTo(path);
  expect(() => judge.verify(`${first?.body} `, first?.headers ?? {})).toThrow();
  const late = { ...first?.headers, "webhook-timestamp": String(Math.floor(Date.now() / 1_000) - 3_600) };
  expect(() => judge.verify(first?.body ?? "", late)).toThrow();
  // The receiver has an event before its delivery is recorded.
  await until("the log of all deliveries", async () => {
    const { data, meta } = (await owner.get(`${at}/deliveries?status=succeeded&pageSize=100`)).body;
    return data.length === events.length && meta.pagination.total === events.length;
  });
  expect((await owner.get(`${webhooks()}/${id}`)).body.data).toMatchObject({ status: "active", waiting: 0 });
});

test("texts are sent only where the webhook asks for them", async () => {
  const { path } = await addWebhook({ events: ["job.completed"], includeText: true });
  const session = await owner.createSession({ title: "Vermilion" });
  await owner.run(session.path, { say: "The answer is ochre." });
  await untilSent(path, "job.completed");
  const { data } = JSON.parse(sentTo(path)[0]?.body ?? "");
  expect(data.text).toEqual({ title: "Vermilion", answer: "The answer is ochre." });
});

test("members, crons and other projects: each webhook gets what it chose", async () => {
  const [all, ofProject] = [await addWebhook(), await addWebhook({ projects: [await addProject(world)] })];
  const crons = `/api/organizations/${world.workspaceId}/crons`;
  const cron = await owner.post(crons, {
    ...{ name: "Nightly", projectIds: [world.projectId], prompt: "Look.", cronExpression: "0 3 * * *" },
  });
  await owner.patch(`${crons}/${cron.body.data.id}`, { enabled: false });
  await owner.delete(`${crons}/${cron.body.data.id}`);
  await untilSent(all.path, "cron.deleted");
  const updated = sentTo(all.path).map(({ body }) => JSON.parse(body));
  expect(updated.find(({ type }) => type === "cron.updated")?.data).toMatchObject({ change: "paused" });
  expect(typesAt(ofProject.path)).toEqual([]);
});

test("a change of members is kept with the change, and sent", async () => {
  const { path } = await addWebhook({ events: ["member.*"] });
  const { sql } = createInside(world);
  const asOwner = await signIn(world, "owner");
  const to = `${webhooks().replace("/webhooks", "")}/members/${world.users.member.id}`;
  const change = (role: string) =>
    fetch(world.baseUrl + to, {
      method: "PATCH",
      headers: { ...asOwner.headers, "content-type": "application/json" },
      body: JSON.stringify({ role }),
    });
  expect((await change("admin")).status).toBe(200);
  await untilSent(path, "member.role_changed");
  expect((await change("member")).status).toBe(200);
  await until("both changes", async () => sentTo(path).length === 2);
  expect(sentTo(path).map(({ body }) => JSON.parse(body).data)).toMatchObject([
    { userId: world.users.member.id, from: "member", to: "admin", by: { userId: world.users.owner.id } },
    { from: "admin", to: "member" },
  ]);
  await until("nothing is kept", async () => (await sql("SELECT id FROM webhook_events")).length === 0);
});

describe("a secret", () => {
  const testSent = async ({ at, path }: { at: string; path: string }) => {
    expect((await owner.post(`${at}/test`)).body.data.delivery).toMatchObject({
      status: "succeeded",
      answerStatus: 200,
    });
    return sentTo(path).at(-1);
  };
  const isValid = (secret: string, sent: ReceivedWebhook | undefined) => {
    try {
      new Webhook(secret).verify(sent?.body ?? "", sent?.headers ?? {});
      return true;
    } catch {
      return false;
    }
  };

  test("signs beside the new one after a rotation, for as long as the owner says", async () => {
    const hook = await addWebhook();
    const rotated = (await owner.post(`${hook.at}/rotate-secret`)).body.data;
    expect(Date.parse(rotated.previousUntil) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const both = await testSent(hook);
    expect([hook.secret, rotated.secret].map((secret) => isValid(secret, both))).toEqual([true, true]);
    const again = (await owner.post(`${hook.at}/rotate-secret`, { keepHours: 0 })).body.data;
    expect(again.previousUntil).toBeNull();
    const one = await testSent(hook);
    expect([hook.secret, rotated.secret, again.secret].map((secret) => isValid(secret, one))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("is in no other answer, and a repeated create answers it again", async () => {
    const body = { url: `${address}/repeated`, events: ["job.*"] };
    const key = { "idempotency-key": crypto.randomUUID() };
    const [first, second] = [await owner.post(webhooks(), body, key), await owner.post(webhooks(), body, key)];
    expect(second.body.data.secret).toBe(first.body.data.secret);
    expect(second.body.data.webhook.id).toBe(first.body.data.webhook.id);
    const [list, read] = [await owner.get(webhooks()), await owner.get(`${webhooks()}/${first.body.data.webhook.id}`)];
    expect(JSON.stringify([list.body, read.body])).not.toContain("whsec_");
  });
});

test("resend sends the same id and bytes with a new signature", async () => {
  const hook = await addWebhook({ events: ["session.created"] });
  await owner.createSession({ title: "Again" });
  await untilSent(hook.path, "session.created");
  const [listed] = (await owner.get(`${hook.at}/deliveries`)).body.data;
  expect((await owner.post(`${hook.at}/deliveries/${listed.id}/resend`)).status).toBe(202);
  await until("a second delivery", async () => sentTo(hook.path).length === 2);
  const [first, second] = sentTo(hook.path);
  expect([second?.body, second?.headers["webhook-id"]]).toEqual([first?.body, first?.headers["webhook-id"]]);
  new Webhook(hook.secret).verify(second?.body ?? "", second?.headers ?? {});
  const readDelivery = async () => (await owner.get(`${hook.at}/deliveries/${listed.id}`)).body.data;
  await until("the record of the second attempt", async () => (await readDelivery()).tried.length === 2);
  const read = await readDelivery();
  expect(read).toMatchObject({ body: first?.body, tried: [{ status: 200, answer: "thanks" }, { status: 200 }] });
  expect((await owner.post(`${hook.at}/deliveries/${crypto.randomUUID()}/resend`)).body.code).toBe("NOT_FOUND");
});

describe("is refused", () => {
  test.for<[string, object, string]>([
    ["an event that is none", { events: ["job.nope"] }, "VALIDATION_ERROR"],
    ["no events", { events: [] }, "VALIDATION_ERROR"],
    ["41 patterns", { events: Array(41).fill("*") }, "VALIDATION_ERROR"],
    ["an address of a network", { url: "https://10.0.0.1/" }, "VALIDATION_ERROR"],
    ["an address without TLS", { url: "http://example.com/" }, "VALIDATION_ERROR"],
    ["a project that is no id", { projects: ["departures"] }, "VALIDATION_ERROR"],
    ["a project that the workspace does not have", { projects: [crypto.randomUUID()] }, "VALIDATION_ERROR"],
    ["a field that is none", { secret: "mine" }, "VALIDATION_ERROR"],
  ])("%s", async ([, changes, code]) => {
    const answer = await owner.post(webhooks(), { url: "https://example.com/hook", events: ["*"], ...changes });
    expect(answer.body.code).toBe(code);
  });

  test("a change that leads elsewhere, and a change of nothing", async () => {
    const { at } = await addWebhook();
    expect((await owner.patch(at, { url: "https://printer.local/" })).body.code).toBe("VALIDATION_ERROR");
    const nowhere = await owner.patch(at, { projects: [world.projectId, crypto.randomUUID()] });
    expect(nowhere).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
    expect((await owner.patch(at, { projects: [world.projectId] })).status).toBe(200);
    expect((await owner.patch(at, {})).body.code).toBe("VALIDATION_ERROR");
    expect((await owner.patch(at, { enabled: false })).body.data).toMatchObject({
      status: "disabled",
      disabledReason: "by_hand",
    });
    expect((await owner.post(`${at}/recover`, { since: new Date().toISOString() })).body.error).toMatch(/disabled/);
    expect((await owner.patch(at, { enabled: true })).body.data).toMatchObject({
      status: "active",
      disabledReason: null,
    });
  });

  test("a webhook of another workspace, and more than 20", async () => {
    const { id, at } = await addWebhook();
    const { sql } = createInside(world);
    await sql(`UPDATE webhooks SET workspace_id = 'ws_elsewhere' WHERE id = '${id}'`);
    expect((await owner.get(at)).body.code).toBe("NOT_FOUND");
    expect((await owner.delete(at)).body.code).toBe("NOT_FOUND");
    await sql(`UPDATE webhooks SET workspace_id = '${world.workspaceId}' WHERE id = '${id}'`);
    const { data } = (await owner.get(webhooks())).body;
    const body = { url: "https://example.com/hook", events: ["webhook.*"] };
    for (let have = data.length; have < 20; have++) expect((await owner.post(webhooks(), body)).status).toBe(201);
    expect((await owner.post(webhooks(), body)).body.error).toMatch(/20 webhooks/);
    for (const webhook of (await owner.get(webhooks())).body.data)
      expect((await owner.delete(`${webhooks()}/${webhook.id}`)).status).toBe(204);
    expect((await owner.get(webhooks())).body.data).toEqual([]);
  });
});
