// The way of events to the objects of webhooks: from the object that made them, and from D1.
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.ts";
import { sealSettings } from "../../../src/project/settings.ts";
import { saveWebhookEvent } from "../../../src/webhook/queries.ts";
import type { WebhookEvent } from "../../../src/webhook/rules/event.ts";
import { createWebhookSender } from "../../../src/webhook/send.ts";
import { sweepSavedEvents } from "../../../src/webhook/sweep.ts";
import { minuteMs } from "../support/faked-clock.ts";
import { until } from "../support/push-service.ts";
import { addProject, run } from "../support/repository-world.ts";
import { addWebhook, ended, send, toEvent, useWebhookWorld, world } from "../support/webhooks.ts";

useWebhookWorld();

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
    const sendOne = (event: WebhookEvent) => sender(world.workspaceId, () => [event]);
    const events = [toEvent(), toEvent(), toEvent(), toEvent()];
    const [first = toEvent(), second = toEvent(), ...others] = events;
    await expect(sendOne(first)).rejects.toThrow("the database is away");
    fails = false;
    const sending = sendOne(first);
    await until(() => reads === 1);
    await Promise.all([sending, sendOne(second), ...others.map(sendOne)]);
    await Promise.all(events.map(({ id }) => ended(webhookId, id, "succeeded")));
    expect(world.received.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(reads).toBe(2);
  });
});

describe("the texts of an event", () => {
  const secret = "correct horse battery staple";
  const ofService = "a password of one service";

  test("have the values of variables redacted, in every field, also where a title is cut", async () => {
    const { id: webhookId } = await addWebhook("a", ["*"], true);
    const { projectId } = await addProject(world.workspaceId);
    const services = [
      { name: "api", command: "node .", env: { PASSWORD: ofService }, endpoints: [] },
      { name: "web", command: "vite", endpoints: [] },
    ];
    const settings = { setup: [], services, env: { MY_SECRET: secret } };
    const sealed = await sealSettings(env.SEALING_KEYS, { id: projectId, settings });
    await run("UPDATE projects SET settings = ?2 WHERE id = ?1", projectId, JSON.stringify(sealed.settings));
    const texts = [
      { title: `Use ${secret} here`, question: secret, answer: `So ${secret}`, error: `${secret}.` },
      { title: `Use ${secret.slice(0, -3)}…`, answer: "correct" },
      { title: "Be c…" },
      { answer: `It is ${ofService}.` },
    ];
    const events = texts.map((text) => ({ ...toEvent(), projectId, text }));
    const ofCron = { ...toEvent(), projectId: null, text: { title: secret } };
    const ofGoneProject = { ...toEvent(), projectId: createId(), text: { title: secret } };
    for (const event of [...events, ofCron, ofGoneProject]) {
      await send(event);
      await ended(webhookId, event.id, "succeeded");
    }
    expect(world.received.map(({ body }) => JSON.parse(body).data.text)).toEqual([
      { title: "Use [redacted] here", question: "[redacted]", answer: "So [redacted]", error: "[redacted]." },
      { title: "Use [redacted]…", answer: "correct" },
      { title: "Be c…" },
      { answer: "It is [redacted]." },
      { title: "[redacted]" },
      undefined,
    ]);
  });
});

describe("an event that is saved in D1", () => {
  const toRemoved = (id: string): WebhookEvent => ({ ...toEvent(), id, type: "member.removed", projectId: null });
  const save = (event: WebhookEvent, changed: boolean) =>
    env.DB.batch([
      env.DB.prepare("UPDATE workspaces SET name = 'Acme' WHERE id = ?1").bind(changed ? world.workspaceId : "nobody"),
      saveWebhookEvent(env.DB, event),
    ]);
  const isSaved = async (id: string) =>
    (await env.DB.prepare("SELECT 1 FROM webhook_events WHERE id = ?1").bind(id).first()) !== null;

  test("is sent by the sweep if the call after the response was lost, once", async () => {
    const { id: webhookId } = await addWebhook();
    const event = toRemoved(createId());
    await save(event, true);
    await sweepSavedEvents(env, { now: Date.now(), after: "" });
    expect(await isSaved(event.id)).toBe(true);
    await sweepSavedEvents(env, { now: Date.now() + 2 * minuteMs, after: "" });
    await ended(webhookId, event.id, "succeeded");
    expect(await isSaved(event.id)).toBe(false);
  });

  test("that cannot be sent stays, and holds up no later one", async () => {
    const { id: webhookId } = await addWebhook();
    const broken = [toRemoved(createId()), toRemoved(createId())];
    const later = toRemoved(createId());
    for (const event of [...broken, later]) await save(event, true);
    for (const { id } of broken)
      await env.DB.prepare("UPDATE webhook_events SET event = '{' WHERE id = ?1").bind(id).run();
    const now = Date.now() + 2 * minuteMs;
    for (let after: string | null = ""; after !== null; ) after = await sweepSavedEvents(env, { now, after });
    await ended(webhookId, later.id, "succeeded");
    expect(await Promise.all([...broken, later].map(({ id }) => isSaved(id)))).toEqual([true, true, false]);
    await env.DB.prepare("DELETE FROM webhook_events").run();
  });

  test("is not saved without a change or without a webhook", async () => {
    const [unchanged, unwanted] = [toRemoved(createId()), toRemoved(createId())];
    await save(unwanted, true);
    await addWebhook();
    await save(unchanged, false);
    expect(await Promise.all([isSaved(unwanted.id), isSaved(unchanged.id)])).toEqual([false, false]);
  });
});
