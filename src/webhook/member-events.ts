// The events of what D1 decides, such as members and spend limits. They are kept there with the
// change, and sent after the response. The sweep sends what a lost call left.
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
  waitUntil(sendKeptById(env, eventId));
}

/** Sends a kept event. The sweep sends it later if that fails. */
export async function sendKeptById(env: WebhooksEnv, eventId: string): Promise<void> {
  try {
    await sendKept(env, await findKeptEvents(env.DB, [eventId]));
  } catch (error) {
    log.warn("webhook_delivery.delayed", { eventId, error });
  }
}

/** Sends kept events, and deletes those that all webhooks have. */
export async function sendKept(env: WebhooksEnv, events: readonly WebhookEvent[]): Promise<void> {
  for (const event of events) {
    await sendToWebhooks(env, event.workspaceId, () => [event]);
    await deleteKeptEvent(env.DB, event.id);
  }
}
