// Sends events to the webhooks of their workspace.
import { getWebhookObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { listWebhookRows } from "./queries.ts";
import { withRedactedTexts } from "./redact.ts";
import type { WebhookEvent } from "./rules/event.ts";
import { isSubscribed } from "./rules/event-types.ts";

export type WebhooksEnv = Pick<Env, "DB" | "SEALING_KEYS" | "WEBHOOK" | "JURISDICTION">;

/** Sends events of a workspace, as `sendToWebhooks` does. */
export type WebhookSender = (
  workspaceId: string,
  listEvents: (withText: boolean) => readonly WebhookEvent[],
) => Promise<void>;

/**
 * The shortest time from one call of a sender's webhooks to the next. A call costs more than the
 * events that it brings.
 */
const pauseMs = 50;

/**
 * Creates a sender for one object, whose workspace never changes. Events that come while others are
 * sent, or soon after, go together, so that many events take few calls.
 */
export function createWebhookSender(env: WebhooksEnv): WebhookSender {
  let lists: Parameters<WebhookSender>[1][] = [];
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;
  let sentAt = 0;

  async function waitForOthers(): Promise<void> {
    const leftMs = sentAt + pauseMs - Date.now();
    // A clock that was set back asks for more than the pause.
    if (leftMs > 0) await scheduler.wait(Math.min(leftMs, pauseMs));
  }

  return (workspaceId, listEvents) => {
    lists.push(listEvents);
    next ??= current
      // Each caller gets its own failure.
      .catch(() => undefined)
      .then(waitForOthers)
      .then(() => {
        const together = lists;
        [lists, next, sentAt] = [[], null, Date.now()];
        current = sendToWebhooks(env, workspaceId, (withText) => together.flatMap((list) => list(withText)));
        return current;
      });
    return next;
  };
}

/**
 * Hands events of a workspace to every webhook that wants them. `listEvents` is called only if the
 * workspace has webhooks; `withText` is true if one of them gets texts. Safe to repeat: a webhook
 * takes an id once. Throws if one did not take them.
 */
export async function sendToWebhooks(
  env: WebhooksEnv,
  workspaceId: string,
  listEvents: (withText: boolean) => readonly WebhookEvent[],
): Promise<void> {
  const rows = await listWebhookRows(env.DB, workspaceId);
  if (rows.length === 0) return;
  const withText = rows.some(({ includeText }) => includeText);
  const listed = listEvents(withText);
  const events = withText ? await withRedactedTexts(env, workspaceId, listed) : listed;
  await Promise.all(
    rows.map(async (row) => {
      // A webhook is not sent its own end.
      const wanted = events.filter((event) => isSubscribed(row, event) && event.data.webhookId !== row.id);
      if (wanted.length > 0) await getWebhookObject(env, row.id).take(row.id, wanted);
    }),
  );
}
