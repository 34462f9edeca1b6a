// The events of members. D1 decides these changes, so their events are kept there with the change,
// and sent after the response. The sweep sends what a lost call left.
import { waitUntil } from "cloudflare:workers";
import { publishChange } from "../activity/publish.ts";
import type { RecordedEvent } from "../activity/rules/activity.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { deleteKeptEvent, findKeptEvents } from "./queries.ts";
import type { WebhookEvent } from "./rules/event.ts";
import { sendToWebhooks, type WebhooksEnv } from "./send.ts";

/** Sends a change of members to the listeners and the webhooks, after the response. */
export function publishMemberEvent(
  env: WebhooksEnv & Pick<Env, "WORKSPACE_EVENTS">,
  event: RecordedEvent | null,
): void {
  publishChange(env, event);
  if (event !== null) sendKeptLater(env, event.id);
}

/** Sends a kept event after the response. */
export function sendKeptLater(env: WebhooksEnv, eventId: string): void {
  const sending = findKeptEvents(env.DB, [eventId]).then((events) => sendKept(env, events));
  waitUntil(sending.catch((error: unknown) => log.warn("webhook_delivery.delayed", { eventId, error })));
}

/** Sends kept events, and deletes those that all webhooks have. */
export async function sendKept(env: WebhooksEnv, events: readonly WebhookEvent[]): Promise<void> {
  for (const event of events) {
    await sendToWebhooks(env, event.workspaceId, () => [event]);
    await deleteKeptEvent(env.DB, event.id);
  }
}
