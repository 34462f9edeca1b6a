// Records what happened: in the feed, whose listeners get it, and at the workspace's webhooks.
import { publishActivity } from "../activity/publish.ts";
import { recordEvents } from "../activity/record.ts";
import type { Env } from "../env.ts";
import type { RecordEvents } from "../rules/effect.ts";
import { sendToWebhooks, type WebhookSender, type WebhooksEnv } from "./send.ts";

/** Performs the effect. Safe to repeat. Throws if a part must be repeated. */
export async function recordAndSend(
  env: WebhooksEnv & Pick<Env, "WORKSPACE_EVENTS">,
  { events, sent = [] }: Pick<RecordEvents, "events" | "sent">,
  send: WebhookSender = (...events) => sendToWebhooks(env, ...events),
): Promise<void> {
  const [first] = sent;
  // Both start at the same moment, so that they take one round trip to the database.
  await Promise.all([
    events.length > 0 ? recordEvents(env.DB, events).then((recorded) => publishActivity(env, recorded)) : undefined,
    first && send(first.workspaceId, () => sent),
  ]);
}
