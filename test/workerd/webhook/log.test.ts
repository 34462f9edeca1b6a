// The log of a webhook: every attempt of each delivery, also of earlier versions.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { getWebhookObject } from "../../../durable-objects/address.ts";
import firstVersion from "../../../migrations/webhook/0000_webhooks.sql";
import { minuteMs } from "../support/faked-clock.ts";
import { until } from "../support/push-service.ts";
import {
  addWebhook,
  attempted,
  ended,
  passToNextAttempt,
  send,
  toEvent,
  useWebhookWorld,
  world,
} from "../support/webhooks.ts";

useWebhookWorld();

describe("the log", () => {
  test("has every attempt of a delivery in order, and finds deliveries by status", async () => {
    const { id: webhookId } = await addWebhook();
    world.answer = () =>
      new Response(`answer ${world.received.length}`, { status: world.received.length < 3 ? 500 : 200 });
    const [failed, later] = [toEvent(), toEvent()];
    await send(failed);
    for (let attempt = 1; attempt < 3; attempt++) {
      await attempted(webhookId, failed.id, attempt);
      await passToNextAttempt(webhookId, failed.id);
    }
    await ended(webhookId, failed.id, "succeeded");
    const object = getWebhookObject(env, webhookId);
    expect(await object.resend(failed.id)).toBe(true);
    await attempted(webhookId, failed.id, 4);
    const answers = ["answer 1", "answer 2", "answer 3", "answer 4"];
    const tried = answers.map((text, place) => ({ answer: text, status: place < 2 ? 500 : 200 }));
    expect(await object.read(failed.id)).toMatchObject({ attempts: 4, tried, answerStatus: 200 });
    await send(later);
    await ended(webhookId, later.id, "succeeded");
    const page = { page: 1, pageSize: 10 };
    const { deliveries, total } = await object.list({ ...page, status: "succeeded" });
    expect([deliveries.map(({ id }) => id), total]).toEqual([[later.id, failed.id], 2]);
    expect(await object.list({ ...page, status: "waiting" })).toEqual({ deliveries: [], total: 0 });
  });

  test("continues that of the version before, and what waited there is sent", async () => {
    const { id: webhookId } = await addWebhook();
    const object = getWebhookObject(env, webhookId);
    const [waiting, over] = [toEvent(), toEvent()];
    await send(toEvent());
    await until(async () => (await object.health()).lastDeliveredAt !== null);
    const now = Date.now();
    await runInDurableObject(object, (_, { storage: { sql } }) => {
      sql.exec("DROP TABLE deliveries; DROP TABLE attempts");
      for (const statement of firstVersion.split("--> statement-breakpoint")) sql.exec(statement);
      sql.exec(
        "DELETE FROM __drizzle_migrations WHERE created_at > (SELECT min(created_at) FROM __drizzle_migrations)",
      );
      const add = "INSERT INTO deliveries VALUES (?, 'job.completed', '{}', ?, ?, 1, ?, ?)";
      sql.exec(add, waiting.id, "waiting", now, now, now + minuteMs);
      sql.exec(add, over.id, "succeeded", now, now, null);
      for (const { id } of [waiting, over])
        sql.exec("INSERT INTO attempts VALUES (?, ?, 5, 503, 'HTTP 503', 'no')", id, now);
    });
    await evictDurableObject(object);
    world.received = [];
    await object.wake();
    await passToNextAttempt(webhookId, waiting.id);
    await ended(webhookId, waiting.id, "succeeded");
    expect(world.received.map(({ id }) => id)).toEqual([waiting.id]);
    expect(await object.read(waiting.id)).toMatchObject({ attempts: 2, tried: [{ answer: "no" }, { answer: "ok" }] });
    expect(await object.read(over.id)).toMatchObject({ attempts: 1, answerStatus: 503 });
  });
});
