// What happens when a webhook is disabled: the workspace's other webhooks get an event, and its
// owners and admins a notification.
import type { Env } from "../env.ts";
import { notifyPeople } from "../notification/notify.ts";
import { listAdmins } from "../workspace/queries/members.ts";
import type { WebhookRow } from "./queries.ts";

import { createEventId } from "./rules/event.ts";
import type { DisabledReason } from "./rules/status.ts";
import { sendToWebhooks } from "./send.ts";

/** Safe to repeat with the same event. */
export async function notifyOfDisabled(
  env: Env,
  { id, workspaceId, name }: WebhookRow,
  { reason, eventId, at }: { reason: DisabledReason; eventId: string; at: number },
): Promise<void> {
  const data = { webhookId: id, reason };
  const event = { id: eventId, type: "webhook.disabled", at, workspaceId, projectId: null, data, by: null } as const;
  await sendToWebhooks(env, workspaceId, () => [{ ...event, text: null }]);
  for (const [place, userId] of (await listAdmins(env.DB, workspaceId)).entries()) {
    await notifyPeople(env, {
      // Each person's notification has an id of its own.
      id: createEventId(eventId, at + place, 1),
      kind: "webhook_disabled",
      ...{ workspaceId, projectId: null, sessionId: null, turnId: null, run: null },
      ...{ title: name, userId, at },
    });
  }
}
