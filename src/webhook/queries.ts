// Reads and writes the webhooks of workspaces, and the events that wait for them.
import { and, asc, eq, ne } from "drizzle-orm";
import { recordChange } from "../activity/record.ts";
import type { RecordedEvent } from "../activity/rules/activity.ts";
import { getIdTime } from "../lib/ids.ts";
import { toDrizzle } from "../storage/database.ts";
import type { WebhookEvent } from "./rules/event.ts";
import { toMemberWebhookEvent } from "./rules/member-events.ts";
import type { DisabledReason, WebhookStatus } from "./rules/status.ts";
import { webhookEvents, webhooks } from "./tables.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

/**
 * The webhooks of a workspace, in the order in which they were created. Read in a batch, which an
 * object combines with what it writes at the same moment.
 */
export async function listWebhookRows(database: D1Database, workspaceId: string): Promise<WebhookRow[]> {
  const db = toDrizzle(database);
  const ofWorkspace = eq(webhooks.workspaceId, workspaceId);
  const [rows] = await db.batch([db.select().from(webhooks).where(ofWorkspace).orderBy(asc(webhooks.id))]);
  return rows;
}

/** A webhook by its id; null if there is none. */
export async function findWebhookRow(database: D1Database, id: string): Promise<WebhookRow | null> {
  return (await toDrizzle(database).select().from(webhooks).where(eq(webhooks.id, id)).get()) ?? null;
}

/** Adds a webhook. False if the workspace has `atMost` already. */
export async function addWebhookRow(database: D1Database, row: WebhookRow, atMost: number): Promise<boolean> {
  const { meta } = await database
    .prepare(
      `INSERT INTO webhooks (id, workspace_id, name, url, events, projects, include_text, sealed, status, created_by, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11
       WHERE (SELECT count(*) FROM webhooks WHERE workspace_id = ?2) < ?12 ON CONFLICT DO NOTHING`,
    )
    .bind(
      ...[row.id, row.workspaceId, row.name, row.url, JSON.stringify(row.events)],
      ...[row.projects && JSON.stringify(row.projects), row.includeText ? 1 : 0, row.sealed, row.status],
      ...[row.createdBy, row.createdAt, atMost],
    )
    .run();
  return meta.changes > 0;
}

/** Changes a webhook. Null if it is gone. */
export async function updateWebhookRow(
  database: D1Database,
  id: string,
  change: { [Field in keyof Omit<WebhookRow, "id" | "workspaceId">]?: WebhookRow[Field] | undefined },
): Promise<WebhookRow | null> {
  const [row] = await toDrizzle(database).update(webhooks).set(change).where(eq(webhooks.id, id)).returning();
  return row ?? null;
}

/** Records the health of a webhook. One that was disabled meanwhile stays disabled. */
export async function recordWebhookStatus(
  database: D1Database,
  id: string,
  { status, disabledReason, at }: { status: WebhookStatus; disabledReason: DisabledReason | null; at: number },
): Promise<boolean> {
  const { meta } = await toDrizzle(database)
    .update(webhooks)
    .set({ status, disabledReason, updatedAt: at })
    .where(and(eq(webhooks.id, id), ne(webhooks.status, "disabled")))
    .run();
  return meta.changes > 0;
}

/** Deletes a webhook. False if there is none. */
export async function deleteWebhookRow(database: D1Database, id: string): Promise<boolean> {
  return (await toDrizzle(database).delete(webhooks).where(eq(webhooks.id, id)).run()).meta.changes > 0;
}

/** Replaces a sealed secret, unless it was rotated meanwhile. */
export async function updateSealedWebhook(
  database: D1Database,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<void> {
  await toDrizzle(database)
    .update(webhooks)
    .set({ sealed: to })
    .where(and(eq(webhooks.id, id), eq(webhooks.sealed, from)))
    .run();
}

/**
 * Keeps events until the webhooks of their workspace have them. A statement for the batch of the
 * change: it saves nothing if the statement before it changed nothing, or without a webhook.
 */
export function saveWebhookEvent(database: D1Database, ...events: readonly WebhookEvent[]): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO webhook_events (id, event) SELECT value ->> 'id', value FROM json_each(?1)
       WHERE changes() > 0 AND EXISTS (SELECT 1 FROM webhooks WHERE workspace_id = ?2) ON CONFLICT DO NOTHING`,
    )
    .bind(JSON.stringify(events), events[0]?.workspaceId ?? "");
}

/** A saved event by its id; null if it is not saved. */
export async function findSavedEvent(database: D1Database, id: string): Promise<WebhookEvent | null> {
  const saved = toDrizzle(database).select({ event: webhookEvents.event }).from(webhookEvents);
  return (await saved.where(eq(webhookEvents.id, id)).get())?.event ?? null;
}

/** The ids of saved events between two ids, oldest first. */
export async function listSavedEventIds(
  database: D1Database,
  { after, before, atMost }: { after: string; before: string; atMost: number },
): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT id FROM webhook_events WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?3")
    .bind(after, before, atMost)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

/** Deletes a saved event that all webhooks have. */
export async function deleteSavedEvent(database: D1Database, id: string): Promise<void> {
  await toDrizzle(database).delete(webhookEvents).where(eq(webhookEvents.id, id)).run();
}

/**
 * The statements that record a change of members, in the batch of the change. They record nothing
 * if the statement before them changed nothing.
 */
export function recordMemberEvent(database: D1Database, event: RecordedEvent): D1PreparedStatement[] {
  const sent = toMemberWebhookEvent(event, getIdTime(event.id));
  return [...recordChange(database, event), ...(sent ? [saveWebhookEvent(database, sent)] : [])];
}
