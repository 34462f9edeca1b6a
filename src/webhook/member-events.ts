// The events of what D1 decides, such as members and spend limits. They are saved there with the
// change, and sent after the response. The sweep sends what a lost call left.
import { waitUntil } from "cloudflare:workers";
import { publishChange } from "../activity/publish.ts";
import type { RecordedEvent } from "../activity/rules/activity.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { deleteSavedEvent, findSavedEvent } from "./queries.ts";
import { sendToWebhooks, type WebhooksEnv } from "./send.ts";

/** Sends a change of members to the listeners and the webhooks, after the response. */
export function publishMemberEvent(
  env: WebhooksEnv & Pick<Env, "WORKSPACE_EVENTS">,
  event: RecordedEvent | null,
): void {
  publishChange(env, event);
  if (event !== null) sendSavedLater(env, event.id);
}

/** Sends a saved event after the response. */
export function sendSavedLater(env: WebhooksEnv, eventId: string): void {
  waitUntil(sendSavedById(env, eventId));
}

/**
 * Sends a saved event, and deletes it once all webhooks have it. Never throws: the sweep sends it
 * later if that fails.
 */
export async function sendSavedById(env: WebhooksEnv, eventId: string): Promise<void> {
  try {
    const event = await findSavedEvent(env.DB, eventId);
    if (event === null) return;
    await sendToWebhooks(env, event.workspaceId, () => [event]);
    await deleteSavedEvent(env.DB, eventId);
  } catch (error) {
    log.warn("webhook_delivery.delayed", { eventId, error });
  }
}
