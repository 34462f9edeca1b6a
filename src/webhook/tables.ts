// The webhooks of workspaces. What each of them sends is in its object.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WebhookEvent } from "./rules/event.ts";
import { disabledReasons, webhookStatuses } from "./rules/status.ts";

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    name: text().notNull(),
    url: text().notNull(),
    /** Event patterns. */
    events: text({ mode: "json" }).$type<string[]>().notNull(),
    /** Only events of these projects; null for all of the workspace. */
    projects: text({ mode: "json" }).$type<string[]>(),
    includeText: integer({ mode: "boolean" }).notNull(),
    /** The sealed secret. */
    sealed: text().notNull(),
    /** The secret before the last rotation, which signs too until `previousUntil`. */
    previousSealed: text(),
    previousUntil: integer(),
    status: text({ enum: webhookStatuses }).notNull(),
    disabledReason: text({ enum: disabledReasons }),
    createdBy: text(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
  },
  (webhook) => [index("webhooks_by_workspace").on(webhook.workspaceId)],
);

/** Events of changes that D1 decides, until the workspace's webhooks have them. */
export const webhookEvents = sqliteTable("webhook_events", {
  id: text().primaryKey(),
  event: text({ mode: "json" }).$type<WebhookEvent>().notNull(),
});
