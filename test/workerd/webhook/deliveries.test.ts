// The object of a webhook: every event once, through failures, evictions and a disabled webhook.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { getWebhookObject } from "../../../durable-objects/address.ts";
import { saveSuspension } from "../../../src/operator/queries.ts";
import { findWebhookRow } from "../../../src/webhook/queries.ts";
import { attemptPausesMs } from "../../../src/webhook/rules/attempts.ts";
import { deleteWebhook, updateWebhook } from "../../../src/webhook/webhooks.ts";
import { minuteMs } from "../support/faked-clock.ts";
import { openPushService, registerPhone, until } from "../support/push-service.ts";
import {
  addWebhook,
  attempted,
  ended,
  getStatus,
  passToNextAttempt,
  send,
  toEvent,
  useWebhookWorld,
  world,
} from "../support/webhooks.ts";

useWebhookWorld();

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
    expect(world.received.map(({ url }) => url).toSorted()).toEqual([all.url, jobs.url]);
    expect(await getStatus(crons.id, event.id)).toBeNull();
  });

  test("that fails nine times succeeds at the tenth attempt, with the same bytes, on time, over a restart", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response("no", { status: world.received.length < 10 ? 500 : 200 });
    const event = toEvent();
    await send(event);
    for (let attempt = 1; attempt < 10; attempt++) {
      await attempted(webhookId, event.id, attempt);
      if (attempt === 5) await evictDurableObject(getWebhookObject(env, webhookId));
      const pause = await passToNextAttempt(webhookId, event.id);
      const planned = attemptPausesMs[attempt] ?? 0;
      expect(pause).toBeGreaterThanOrEqual(planned * 0.9 - 1_000);
      expect(pause).toBeLessThanOrEqual(planned * 1.1 + 1_000);
    }
    await ended(webhookId, event.id, "succeeded");
    expect(world.received).toHaveLength(10);
    expect(new Set(world.received.map(({ id, body }) => id + body)).size).toBe(1);
    expect(await findWebhookRow(env.DB, webhookId)).toMatchObject({ status: "active", disabledReason: null });
  });

  test("that waited when the object was evicted is sent by the alarm", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response(null, { status: 503 });
    const event = toEvent();
    await send(event);
    await attempted(webhookId, event.id, 1);
    await evictDurableObject(getWebhookObject(env, webhookId));
    world.answer = () => new Response("ok");
    await passToNextAttempt(webhookId, event.id);
    await ended(webhookId, event.id, "succeeded");
    expect(world.received).toHaveLength(2);
  });

  test("of a suspended workspace waits until it is resumed", async () => {
    const { id: webhookId } = await addWebhook();
    const suspend = (at: number | null) => saveSuspension(env.DB, { type: "workspace", id: world.workspaceId }, at);
    await suspend(1);
    const event = toEvent();
    await send(event);
    const object = getWebhookObject(env, webhookId);
    await world.clock.pass(object, 61_000);
    await runDurableObjectAlarm(object);
    expect([world.received, await getStatus(webhookId, event.id)]).toEqual([[], "waiting"]);
    await suspend(null);
    await world.clock.pass(object, 61_000);
    await runDurableObjectAlarm(object);
    await ended(webhookId, event.id, "succeeded");
  });

  test("of many events is sent once for each of them, in their order", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response("a\0b");
    const events = Array.from({ length: 50 }, toEvent);
    await send(...events);
    await until(async () => (await getWebhookObject(env, webhookId).health()).waiting === 0);
    expect(world.received.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    const delivery = await getWebhookObject(env, webhookId).read(events[49]?.id ?? "");
    expect(delivery).toMatchObject({ status: "succeeded", attempts: 1, tried: [{ status: 200, answer: "a\ufffdb" }] });
  });

  test("follows no redirect", async () => {
    const { id: webhookId, url } = await addWebhook();
    world.answer = () => new Response(null, { status: 302, headers: { location: `${url}/elsewhere` } });
    const event = toEvent();
    await send(event);
    await attempted(webhookId, event.id, 1);
    const delivery = await getWebhookObject(env, webhookId).read(event.id);
    expect(delivery?.tried).toMatchObject([{ status: 302, error: "HTTP 302: a webhook follows no redirect" }]);
    expect(world.received).toHaveLength(1);
  });

  test("succeeds by the status of an answer whose body does not end, or breaks", async () => {
    const { id: webhookId } = await addWebhook();
    const cancelled = vi.fn<() => void>();
    const [endless, broken] = [toEvent(), toEvent()];
    world.answer = ({ id }) => {
      const body = new ReadableStream<Uint8Array>({
        start: (writer) => writer.enqueue(new TextEncoder().encode("o")),
        pull: (writer) => (id === broken.id ? writer.error(new Error("the connection broke")) : undefined),
        cancel: cancelled,
      });
      return new Response(body);
    };
    await send(endless, broken);
    await Promise.all([ended(webhookId, endless.id, "succeeded"), ended(webhookId, broken.id, "succeeded")]);
    const delivery = await getWebhookObject(env, webhookId).read(endless.id);
    expect(delivery).toMatchObject({ attempts: 1, tried: [{ status: 200, error: null, answer: "o" }] });
    await until(() => cancelled.mock.calls.length > 0);
  });

  test("to a webhook that fails waits until new ones are sent", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response(null, { status: 500 });
    const [first, second] = [toEvent(), toEvent()];
    await send(first);
    await attempted(webhookId, first.id, 1);
    world.answer = () => new Response("ok");
    await send(second);
    await ended(webhookId, second.id, "succeeded");
    expect(await getStatus(webhookId, first.id)).toBe("waiting");
    expect(await findWebhookRow(env.DB, webhookId)).toMatchObject({ status: "active" });
  });

  test("that is sent again while it is being tried is tried once more", async () => {
    const { id: webhookId } = await addWebhook();
    const event = toEvent();
    world.answer = async () => {
      if (world.received.length > 1) return new Response("ok");
      vi.setSystemTime(Date.now() + 1);
      expect(await getWebhookObject(env, webhookId).resend(event.id)).toBe(true);
      return new Response("ok");
    };
    await send(event);
    await ended(webhookId, event.id, "succeeded");
    expect(world.received).toHaveLength(2);
    const delivery = await getWebhookObject(env, webhookId).read(event.id);
    expect(delivery).toMatchObject({ attempts: 2, tried: world.received.map(() => ({ status: 200 })) });
  });

  test("of an answer with Retry-After holds the whole webhook", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response(null, { status: 429, headers: { "retry-after": "120" } });
    const [first, second] = [toEvent(), toEvent()];
    await send(first);
    await attempted(webhookId, first.id, 1);
    await send(second);
    expect((await getWebhookObject(env, webhookId).read(second.id))?.attempts).toBe(0);
    world.answer = () => new Response("ok");
    await world.clock.pass(getWebhookObject(env, webhookId), 2 * minuteMs + 1);
    await ended(webhookId, second.id, "succeeded");
  });

  test("waits as long as an answer asked after an eviction too, and is then tried one at a time", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response(null, { status: 429, headers: { "retry-after": "60" } });
    const [first, second, third] = [toEvent(), toEvent(), toEvent()];
    await send(first);
    await attempted(webhookId, first.id, 1);
    const object = getWebhookObject(env, webhookId);
    await evictDurableObject(object);
    let open = 0;
    const together: number[] = [];
    world.answer = async () => {
      together.push(++open);
      await scheduler.wait(20);
      open -= 1;
      return new Response(null, { status: 500 });
    };
    await send(second, third);
    await world.clock.pass(object, minuteMs + 1);
    await Promise.all([second, third].map(({ id }) => attempted(webhookId, id, 1)));
    await attempted(webhookId, first.id, 2);
    const [asked, ...later] = world.received;
    expect(later.map(({ id }) => id)).toEqual([second.id, third.id, first.id]);
    expect(later.filter(({ at }) => at < (asked?.at ?? 0) + minuteMs)).toEqual([]);
    expect(together).toEqual([1, 1, 1]);
  });
});

describe("a webhook", () => {
  test("that answers 410 is disabled, and others and its admins know", async () => {
    const [gone, other] = [await addWebhook("gone"), await addWebhook("other", ["webhook.*"])];
    const push = openPushService();
    const phone = await registerPhone(world.mia);
    world.answer = ({ url }) => new Response(null, { status: url.endsWith("gone") ? 410 : 200 });
    const [first, later] = [toEvent(), toEvent()];
    await send(first);
    await until(async () => (await findWebhookRow(env.DB, gone.id))?.status === "disabled");
    await until(() => world.received.some(({ url }) => url === other.url));
    const told = world.received.filter(({ url }) => url === other.url).map(({ body }) => JSON.parse(body));
    expect(told).toMatchObject([{ type: "webhook.disabled", data: { webhookId: gone.id, reason: "gone" } }]);
    await until(() => push.sent.length > 0);
    expect(push.sent).toMatchObject([{ token: phone, payload: { kind: "webhook_disabled" } }]);
    push.end();
    await send(later);
    expect(await getStatus(gone.id, later.id)).toBe("dropped");
    expect(world.received.filter(({ url }) => url === gone.url)).toHaveLength(1);
  });

  test("that answers 410 to attempts at the same time is disabled once", async () => {
    const [gone, other] = [await addWebhook("gone"), await addWebhook("other")];
    const [first, second, last] = [toEvent(), toEvent(), toEvent()];
    const released = Promise.withResolvers<void>();
    world.answer = async ({ url, id }) => {
      if (url === other.url) return new Response("ok");
      if (id === second.id) await released.promise;
      return new Response(null, { status: 410 });
    };
    await send(first, second);
    const findTold = () =>
      world.received.filter(({ url, body }) => url === other.url && body.includes("webhook.disabled"));
    await until(() => findTold().length > 0);
    released.resolve();
    await attempted(gone.id, second.id, 1);
    await until(() =>
      runInDurableObject(getWebhookObject(env, gone.id), (_, { storage }) => !storage.kv.get("disabling")),
    );
    await send(last);
    await until(() => world.received.some(({ url, id }) => url === other.url && id === last.id));
    expect(findTold()).toHaveLength(1);
  });

  test("that a person enables again stays enabled, although another one could not receive the news", async () => {
    const [gone, other] = [await addWebhook("gone"), await addWebhook("other", ["webhook.*"])];
    const { sealed } = (await findWebhookRow(env.DB, other.id)) ?? {};
    const seal = (text: string | undefined) =>
      env.DB.prepare("UPDATE webhooks SET sealed = ?2 WHERE id = ?1").bind(other.id, text).run();
    await seal("broken");
    world.answer = () => new Response(null, { status: 410 });
    await send(toEvent());
    const disabling = () =>
      runInDurableObject(getWebhookObject(env, gone.id), (_, { storage }) =>
        storage.kv.get<{ isRecorded?: true }>("disabling"),
      );
    await until(async () => (await disabling())?.isRecorded === true);
    const row = await findWebhookRow(env.DB, gone.id);
    expect(row?.status).toBe("disabled");
    world.answer = () => new Response("ok");
    if (row) await updateWebhook(env, row, { enabled: true }, Date.now());
    const event = toEvent();
    await send(event);
    await until(async () => (await getStatus(gone.id, event.id)) === "succeeded");
    expect([(await findWebhookRow(env.DB, gone.id))?.status, await disabling()]).toEqual(["active", undefined]);
    await seal(sealed);
  });

  test("that failed ten times without a success is disabled; recover brings each event once", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () => new Response(null, { status: 500 });
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
    world.received = [];
    world.answer = () => new Response("ok");
    const row = await findWebhookRow(env.DB, webhookId);
    if (row) await updateWebhook(env, row, { enabled: true }, Date.now());
    expect(await getWebhookObject(env, webhookId).recover({ since, until: Date.now() })).toBe(2);
    await Promise.all([ended(webhookId, event.id, "succeeded"), ended(webhookId, meanwhile.id, "succeeded")]);
    expect(world.received.map(({ id }) => id)).toEqual([event.id, meanwhile.id]);
    expect(await getWebhookObject(env, webhookId).recover({ since, until: Date.now() })).toBe(0);
  });

  test("that is disabled by hand drops what waits, and a deleted one keeps nothing", async () => {
    const row = await addWebhook();
    world.answer = () => new Response(null, { status: 500 });
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
    const refused = { code: "TOO_MANY_REQUESTS", retryAfterSeconds: 60 };
    expect(await object.sendTest(row.id, toEvent())).toMatchObject(refused);
    await world.clock.pass(object, minuteMs);
    expect(await object.sendTest(row.id, toEvent())).toMatchObject({ status: "succeeded" });
  });
});
