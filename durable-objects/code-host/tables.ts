// What an inbox stores: the waiting deliveries, and the ids of finished ones.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { StoredWebhook } from "../../src/code-host/rules/webhook.ts";

export const deliveries = sqliteTable(
  "deliveries",
  {
    /** The code host's id of the delivery. */
    id: text().primaryKey(),
    /** The webhook with its progress; null once the delivery is finished. */
    webhook: text({ mode: "json" }).$type<StoredWebhook>(),
    receivedAt: integer().notNull(),
    attempts: integer().notNull(),
    /** When the next try is due; null once the delivery is finished. */
    dueAt: integer(),
  },
  (delivery) => [index("deliveries_by_due").on(delivery.dueAt), index("deliveries_by_time").on(delivery.receivedAt)],
);
