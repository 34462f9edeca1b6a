// A workspace whose webhooks lead to a receiver that answers as a test wants.
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach } from "vitest";
import { getWebhookObject } from "../../../durable-objects/address.ts";
import { createId } from "../../../src/lib/ids.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { WebhookEvent } from "../../../src/webhook/rules/event.ts";
import { sendToWebhooks } from "../../../src/webhook/send.ts";
import { createWebhook } from "../../../src/webhook/webhooks.ts";
import { type FakedClock, fakeClock } from "./faked-clock.ts";
import { standIn } from "./outside.ts";
import { addWorkspaceWith } from "./people.ts";
import { until } from "./push-service.ts";

interface Received {
  id: string;
  at: number;
  body: string;
  url: string;
}

interface WebhookWorld {
  workspaceId: string;
  mia: string;
  clock: FakedClock;
  received: Received[];
  answer: (to: Received) => Response | Promise<Response>;
}

/** The world of the test that runs. */
export let world: WebhookWorld;

/** What waits from an earlier test is sent to the address of that test. */
const getAddress = () => `https://hooks.example.com/${world.workspaceId}/`;

/**
 * Gives each test of the calling file a workspace of its own. Files share the modules that they
 * import, so a hook outside of this function would run only for the first file.
 */
export function useWebhookWorld(): void {
  beforeEach(async () => {
    const { workspaceId, users } = await addWorkspaceWith({ mia: "owner", ada: "member" });
    const answer = () => new Response("ok");
    world = { workspaceId, mia: users.mia, clock: fakeClock(), received: [], answer };
    return standIn(getAddress(), async (request) => {
      const id = request.headers.get("webhook-id") ?? "";
      const one = { id, at: Date.now(), body: await request.text(), url: request.url };
      world.received.push(one);
      return await world.answer(one);
    });
  });
  afterEach(() => world.clock.putBack());
}

export async function addWebhook(name = "a", events = ["*"], includeText = false) {
  const wanted = { name, url: getAddress() + name, events, projects: null, includeText };
  const made = await createWebhook(
    env,
    { workspaceId: world.workspaceId, createdBy: world.mia, repeat: null, ...wanted },
    Date.now(),
  );
  if (isRefusal(made)) throw new Error(made.message);
  return made.row;
}

export const toEvent = (): WebhookEvent => ({
  ...{
    id: createId(),
    type: "job.completed",
    at: Date.now(),
    workspaceId: world.workspaceId,
    projectId: "p1",
    data: {},
    by: null,
  },
  text: null,
});
export const send = (...events: WebhookEvent[]) => sendToWebhooks(env, world.workspaceId, () => events);
export const getStatus = async (webhookId: string, id: string) =>
  (await getWebhookObject(env, webhookId).read(id))?.status ?? null;
export const ended = (webhookId: string, id: string, status: string) =>
  until(async () => (await getStatus(webhookId, id)) === status);
export const attempted = (webhookId: string, id: string, times: number) =>
  until(async () => ((await getWebhookObject(env, webhookId).read(id))?.attempts ?? 0) >= times);

/** Lets the time of the next attempt come. */
export async function passToNextAttempt(webhookId: string, id: string): Promise<number> {
  const before = Date.now();
  const object = getWebhookObject(env, webhookId);
  const at = (await object.read(id))?.nextAttemptAt ?? before;
  await world.clock.pass(object, Math.max(0, at - before));
  await runDurableObjectAlarm(object);
  return at - before;
}
