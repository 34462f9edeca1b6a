// The events of spend limits, for webhooks.
import type { WebhookEvent } from "./event.ts";

/** The event of a workspace whose limit of the month is reached. */
export function createSpendEvent(id: string, workspaceId: string, at: number): WebhookEvent {
  const about = { id, at, workspaceId, projectId: null, by: null, text: null };
  return { ...about, type: "spend.limit_reached", data: { limit: "workspace" } };
}
