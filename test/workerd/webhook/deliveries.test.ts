// The object of a webhook: every event once, through failures, evictions and a disabled webhook.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { getWebhookObject } from "../../../durable-objects/address.ts";
import { createId } from "../../../src/lib/ids.ts";
import { saveSuspension } from "../../../src/operator/queries.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { findWebhookRow, saveWebhookEvent } from "../../../src/webhook/queries.ts";
import { attemptPausesMs } from "../../../src/webhook/rules/attempts.ts";
import type { WebhookEvent } from "../../../src/webhook/rules/event.ts";
import { createWebhookSender, sendToWebhooks } from "../../../src/webhook/send.ts";
import { sweepKeptEvents } from "../../../src/webhook/sweep.ts";
import { createWebhook, deleteWebhook, updateWebhook } from "../../../src/webhook/webhooks.ts";
import { type FakedClock, fakeClock, minuteMs } from "../support/faked-clock.ts";
import { standIn } from "../support/outside.ts";
import { addWorkspaceWith } from "../support/people.ts";
import { openPushService, registerPhone, until } from "../support/push-service.ts";

interface Received {
  id: string;
  at: number;
  body: string;
  url: string;
}

let workspaceId: string;
let mia: string;
let clock: FakedClock;
let received: Received[];
let answer: (to: Received) => Response | Promise<Response>;

beforeEach(async () => {
  const world = await addWorkspaceWith({ mia: "owner", ada: "member" });
  ({ workspaceId } = world);
  ({ mia } = world.users);
  clock = fakeClock();
  received = [];
  answer = () => new Response("ok");
  return standIn("https://hooks.example.com/", async (request) => {
    const id = request.headers.get("webhook-id") ?? "";
    const one = { id, at: Date.now(), body: await request.text(), url: request.url };
    received.push(one);
    return await answer(one);
  });
});
afterEach(() => clock.putBack());

async function addWebhook(name = "a", events = ["*"]) {
  const wanted = { name, url: `https://hooks.example.com/${name}`, events, projects: null, includeText: false };
  const made = await createWebhook(env, { workspaceId, createdBy: mia, repeat: null, ...wanted }, Date.now());
  if (isRefusal(made)) throw new Error(made.message);
  return made.row;
}

const toEvent = (): WebhookEvent => ({
  ...{ id: createId(), type: "job.completed", at: Date.now(), workspaceId, projectId: "p1", data: {}, by: null },
  text: null,
});
const send = (...events: WebhookEvent[]) => sendToWebhooks(env, workspaceId, () => events);
const getStatus = async (webhookId: string, id: string) =>
  (await getWebhookObject(env, webhookId).read(id))?.status ?? null;
const ended = (webhookId: string, id: string, status: string) =>
  until(async () => (await getStatus(webhookId, id)) === status);
const attempted = (webhookId: string, id: string, times: number) =>
  until(async () => ((await getWebhookObject(env, webhookId).read(id))?.attempts ?? 0) >= times);

/** Lets the time of the next attempt come. */
async function passToNextAttempt(webhookId: string, id: string): Promise<number> {
  const before = Date.now();
  const object = getWebhookObject(env, webhookId);
  const at = (await object.read(id))?.nextAttemptAt ?? before;
  await clock.pass(object, Math.max(0, at - before));
  await runDurableObjectAlarm(object);
  return at - before;
}

describe("a delivery", () => {
  test("reaches each webhook that wants it once, however often the event is sent", async () => {
    const [all, jobs, crons] = [
      await addWebhook("a"),
      await addWebhook("b", ["job.*"]),
      await addWebhook("c", ["cron.*"]),
    ];
    const event = toEvent();
    await Promise.all([send(event), send(event), send(event)]);
    await Promise.all([ended(all.id, event.id, "succeeded"), ended(jobs.id, event.id, "succeeded")]);
    await send(event);
    expect(received.map(({ url }) => url).toSorted()).toEqual([all.url, jobs.url]);
    expect(await getStatus(crons.id, event.id)).toBeNull();
  });

  test("that fails nine times succeeds at the tenth attempt, with the same bytes, on time", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response("no", { status: received.length < 10 ? 500 : 200 });
    const event = toEvent();
    await send(event);
    for (let attempt = 1; attempt < 10; attempt++) {
      await attempted(webhookId, event.id, attempt);
      const pause = await passToNextAttempt(webhookId, event.id);
      const planned = attemptPausesMs[attempt] ?? 0;
      expect(pause).toBeGreaterThanOrEqual(planned * 0.9 - 1_000);
      expect(pause).toBeLessThanOrEqual(planned * 1.1 + 1_000);
    }
    await ended(webhookId, event.id, "succeeded");
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ id, body }) => id + body)).size).toBe(1);
    expect(await findWebhookRow(env.DB, webhookId)).toMatchObject({ status: "active", disabledReason: null });
  });

  test("that waited when the object was evicted is sent by the alarm", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response(null, { status: 503 });
    const event = toEvent();
    await send(event);
    await attempted(webhookId, event.id, 1);
    await evictDurableObject(getWebhookObject(env, webhookId));
    answer = () => new Response("ok");
    await passToNextAttempt(webhookId, event.id);
    await ended(webhookId, event.id, "succeeded");
    expect(received).toHaveLength(2);
  });

  test("of a suspended workspace waits until it is resumed", async () => {
    const { id: webhookId } = await addWebhook();
    const suspend = (at: number | null) => saveSuspension(env.DB, { type: "workspace", id: workspaceId }, at);
    await suspend(1);
    const event = toEvent();
    await send(event);
    const object = getWebhookObject(env, webhookId);
    await clock.pass(object, 61_000);
    await runDurableObjectAlarm(object);
    expect([received, await getStatus(webhookId, event.id)]).toEqual([[], "waiting"]);
    await suspend(null);
    await clock.pass(object, 61_000);
    await runDurableObjectAlarm(object);
    await ended(webhookId, event.id, "succeeded");
  });

  test("of many events is sent once for each of them, in their order", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response("a\0b");
    const events = Array.from({ length: 50 }, toEvent);
    await send(...events);
    await until(async () => (await getWebhookObject(env, webhookId).health()).waiting === 0);
    expect(received.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    const delivery = await getWebhookObject(env, webhookId).read(events[49]?.id ?? "");
    expect(delivery).toMatchObject({ status: "succeeded", attempts: 1, tried: [{ status: 200, answer: "a\ufffdb" }] });
  });

  test("follows no redirect", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response(null, { status: 302, headers: { location: "https://hooks.example.com/elsewhere" } });
    const event = toEvent();
    await send(event);
    await attempted(webhookId, event.id, 1);
    const delivery = await getWebhookObject(env, webhookId).read(event.id);
    expect(delivery?.tried).toMatchObject([{ status: 302, error: "HTTP 302: a webhook follows no redirect" }]);
    expect(received).toHaveLength(1);
  });

  test("to a webhook that fails waits until new ones are sent", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response(null, { status: 500 });
    const [first, second] = [toEvent(), toEvent()];
    await send(first);
    await attempted(webhookId, first.id, 1);
    answer = () => new Response("ok");
    await send(second);
    await ended(webhookId, second.id, "succeeded");
    expect(await getStatus(webhookId, first.id)).toBe("waiting");
    expect(await findWebhookRow(env.DB, webhookId)).toMatchObject({ status: "active" });
  });

  test("that is sent again while it is being tried is tried once more", async () => {
    const { id: webhookId } = await addWebhook();
    const event = toEvent();
    answer = async () => {
      if (received.length > 1) return new Response("ok");
      vi.setSystemTime(Date.now() + 1);
      expect(await getWebhookObject(env, webhookId).resend(event.id)).toBe(true);
      return new Response("ok");
    };
    await send(event);
    await ended(webhookId, event.id, "succeeded");
    expect(received).toHaveLength(2);
  });

  test("of an answer with Retry-After holds the whole webhook", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response(null, { status: 429, headers: { "retry-after": "120" } });
    const [first, second] = [toEvent(), toEvent()];
    await send(first);
    await attempted(webhookId, first.id, 1);
    await send(second);
    expect((await getWebhookObject(env, webhookId).read(second.id))?.attempts).toBe(0);
    answer = () => new Response("ok");
    await clock.pass(getWebhookObject(env, webhookId), 2 * minuteMs + 1);
    await ended(webhookId, second.id, "succeeded");
  });
});

describe("a webhook", () => {
  test("that answers 410 is disabled, and others and its admins know", async () => {
    const [gone, other] = [await addWebhook("gone"), await addWebhook("other", ["webhook.*"])];
    const push = openPushService();
    const phone = await registerPhone(mia);
    answer = ({ url }) => new Response(null, { status: url.endsWith("gone") ? 410 : 200 });
    const [first, later] = [toEvent(), toEvent()];
    await send(first);
    await until(async () => (await findWebhookRow(env.DB, gone.id))?.status === "disabled");
    await until(() => received.some(({ url }) => url === other.url));
    const told = received.filter(({ url }) => url === other.url).map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject([{ type: "webhook.disabled", data: { webhookId: gone.id, reason: "gone" } }]);
    await until(() => push.sent.length > 0);
    expect(push.sent).toMatchObject([{ token: phone, payload: { kind: "webhook_disabled" } }]);
    push.end();
    await send(later);
    expect(await getStatus(gone.id, later.id)).toBe("dropped");
    expect(received.filter(({ url }) => url === gone.url)).toHaveLength(1);
  });

  test("that answers 410 to attempts at the same time is disabled once", async () => {
    const [gone, other] = [await addWebhook("gone"), await addWebhook("other")];
    const [first, second, last] = [toEvent(), toEvent(), toEvent()];
    const released = Promise.withResolvers<void>();
    answer = async ({ url, id }) => {
      if (url === other.url) return new Response("ok");
      if (id === second.id) await released.promise;
      return new Response(null, { status: 410 });
    };
    await send(first, second);
    const findTold = () => received.filter(({ url, body }) => url === other.url && body.includes("webhook.disabled"));
    await until(() => findTold().length > 0);
    released.resolve();
    await attempted(gone.id, second.id, 1);
    await until(() =>
      runInDurableObject(getWebhookObject(env, gone.id), (_, { storage }) => !storage.kv.get("disabling")),
    );
    await send(last);
    await until(() => received.some(({ url, id }) => url === other.url && id === last.id));
    expect(findTold()).toHaveLength(1);
  });

  test("that failed ten times without a success is disabled; recover brings each event once", async () => {
    const { id: webhookId } = await addWebhook();
    answer = () => new Response(null, { status: 500 });
    const event = toEvent();
    const since = Date.now();
    await send(event);
    for (let attempt = 1; attempt < 10; attempt++) {
      await attempted(webhookId, event.id, attempt);
      await passToNextAttempt(webhookId, event.id);
    }
    await until(async () => (await findWebhookRow(env.DB, webhookId))?.status === "disabled");
    expect(await findWebhookRow(env.DB, webhookId)).toMatchObject({ disabledReason: "failing" });
    const meanwhile = toEvent();
    await send(meanwhile);
    received = [];
    answer = () => new Response("ok");
    const row = await findWebhookRow(env.DB, webhookId);
    if (row) await updateWebhook(env, row, { enabled: true }, Date.now());
    expect(await getWebhookObject(env, webhookId).recover({ since, until: Date.now() })).toBe(2);
    await Promise.all([ended(webhookId, event.id, "succeeded"), ended(webhookId, meanwhile.id, "succeeded")]);
    expect(received.map(({ id }) => id)).toEqual([event.id, meanwhile.id]);
    expect(await getWebhookObject(env, webhookId).recover({ since, until: Date.now() })).toBe(0);
  });

  test("that is disabled by hand drops what waits, and a deleted one keeps nothing", async () => {
    const row = await addWebhook();
    answer = () => new Response(null, { status: 500 });
    const event = toEvent();
    await send(event);
    await attempted(row.id, event.id, 1);
    await updateWebhook(env, row, { enabled: false }, Date.now());
    expect(await getStatus(row.id, event.id)).toBe("dropped");
    await deleteWebhook(env, row.id);
    expect(await getStatus(row.id, event.id)).toBeNull();
    await getWebhookObject(env, row.id).take(row.id, [toEvent()]);
    expect(await getWebhookObject(env, row.id).list({ page: 1, pageSize: 10 })).toEqual({ deliveries: [], total: 0 });
  });

  test("is tested at most ten times a minute", async () => {
    const row = await addWebhook();
    const object = getWebhookObject(env, row.id);
    for (let time = 0; time < 10; time++)
      expect(await object.sendTest(row.id, { ...toEvent(), type: "webhook.test" })).toMatchObject({
        status: "succeeded",
      });
    expect(await object.sendTest(row.id, toEvent())).toMatchObject({ code: "TOO_MANY_REQUESTS" });
    await clock.pass(object, minuteMs);
    expect(await object.sendTest(row.id, toEvent())).toMatchObject({ status: "succeeded" });
  });
});

describe("the sender of an object", () => {
  test("sends what comes meanwhile together, each event once, also after a failure", async () => {
    const { id: webhookId } = await addWebhook();
    let reads = 0;
    let fails = true;
    const DB = new Proxy(env.DB, {
      get(database, name) {
        if (name === "batch" && fails) throw new Error("the database is away");
        if (name === "batch") reads += 1;
        const value: unknown = Reflect.get(database, name);
        return typeof value === "function" ? value.bind(database) : value;
      },
    });
    const sender = createWebhookSender({ ...env, DB });
    const sendOne = (event: WebhookEvent) => sender(workspaceId, () => [event]);
    const events = [toEvent(), toEvent(), toEvent(), toEvent()];
    const [first = toEvent(), second = toEvent(), ...others] = events;
    await expect(sendOne(first)).rejects.toThrow("the database is away");
    fails = false;
    const sending = sendOne(first);
    await until(() => reads === 1);
    await Promise.all([sending, sendOne(second), ...others.map(sendOne)]);
    await Promise.all(events.map(({ id }) => ended(webhookId, id, "succeeded")));
    expect(received.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(reads).toBe(2);
  });
});

describe("an event that D1 keeps", () => {
  const toRemoved = (id: string): WebhookEvent => ({ ...toEvent(), id, type: "member.removed", projectId: null });
  const keep = (event: WebhookEvent, changed: boolean) =>
    env.DB.batch([
      env.DB.prepare("UPDATE workspaces SET name = 'Acme' WHERE id = ?1").bind(changed ? workspaceId : "nobody"),
      saveWebhookEvent(env.DB, event),
    ]);
  const isKept = async (id: string) =>
    (await env.DB.prepare("SELECT 1 FROM webhook_events WHERE id = ?1").bind(id).first()) !== null;

  test("is sent by the sweep if the call after the response was lost, once", async () => {
    const { id: webhookId } = await addWebhook();
    const event = toRemoved(createId());
    await keep(event, true);
    await sweepKeptEvents(env, { now: Date.now(), after: "" });
    expect(await isKept(event.id)).toBe(true);
    await sweepKeptEvents(env, { now: Date.now() + 2 * minuteMs, after: "" });
    await ended(webhookId, event.id, "succeeded");
    expect(await isKept(event.id)).toBe(false);
  });

  test("that cannot be sent stays, and holds up no later one", async () => {
    const { id: webhookId } = await addWebhook();
    const broken = [toRemoved(createId()), toRemoved(createId())];
    const later = toRemoved(createId());
    for (const event of [...broken, later]) await keep(event, true);
    for (const { id } of broken)
      await env.DB.prepare("UPDATE webhook_events SET event = '{' WHERE id = ?1").bind(id).run();
    const now = Date.now() + 2 * minuteMs;
    for (let after: string | null = ""; after !== null; ) after = await sweepKeptEvents(env, { now, after });
    await ended(webhookId, later.id, "succeeded");
    expect(await Promise.all([...broken, later].map(({ id }) => isKept(id)))).toEqual([true, true, false]);
    await env.DB.prepare("DELETE FROM webhook_events").run();
  });

  test("is not kept without a change or without a webhook", async () => {
    const [unchanged, unwanted] = [toRemoved(createId()), toRemoved(createId())];
    await keep(unwanted, true);
    await addWebhook();
    await keep(unchanged, false);
    expect(await Promise.all([isKept(unwanted.id), isKept(unchanged.id)])).toEqual([false, false]);
  });
});
