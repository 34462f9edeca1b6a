// What a webhook stores: its deliveries, those that wait and those that the log shows, and their
// attempts.
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { WebhookEventType } from "../../src/webhook/rules/event-types.ts";
import { deliveryStatuses } from "../../src/webhook/rules/status.ts";

export const deliveries = sqliteTable(
  "deliveries",
  {
    /** The id of the event. */
    id: text().primaryKey(),
    type: text().$type<WebhookEventType>().notNull(),
    body: text().notNull(),
    status: text({ enum: deliveryStatuses }).notNull(),
    createdAt: integer().notNull(),
    /** The attempts since it was last made to wait. */
    tries: integer().notNull(),
    /** When the first of these attempts began; null before it. */
    triedSince: integer(),
    /** When the next attempt is due; null for one that does not wait. */
    dueAt: integer(),
  },
  (delivery) => [
    index("deliveries_by_due").on(delivery.dueAt),
    index("deliveries_by_time").on(delivery.createdAt),
    index("deliveries_by_status").on(delivery.status, delivery.createdAt),
  ],
);

export const attempts = sqliteTable(
  "attempts",
  {
    deliveryId: text().notNull(),
    at: integer().notNull(),
    milliseconds: integer().notNull(),
    status: integer(),
    error: text(),
    answer: text(),
  },
  (attempt) => [primaryKey({ columns: [attempt.deliveryId, attempt.at] })],
);
