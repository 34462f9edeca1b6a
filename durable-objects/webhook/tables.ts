// What a webhook stores: its deliveries, those that wait and those that the log shows, and their
// attempts. Rows are never renumbered, so their order is that in which deliveries were added.
import { isNotNull } from "drizzle-orm";
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
    /**
     * The last attempt. Null before it, and in rows of versions that wrote each attempt into
     * `attempts`.
     */
    lastAt: integer(),
    lastMilliseconds: integer(),
    lastStatus: integer(),
    lastError: text(),
    lastAnswer: text(),
  },
  // Each index is written with every delivery, so there is only one, of those that wait.
  (delivery) => [index("deliveries_waiting").on(delivery.dueAt).where(isNotNull(delivery.dueAt))],
);

/** The attempts before the last one. */
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
