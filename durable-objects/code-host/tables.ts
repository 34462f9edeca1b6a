// What an inbox keeps: the deliveries that wait, and the ids of those that are over.
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { KeptWebhook } from "../../src/code-host/rules/webhook.ts";

export const deliveries = sqliteTable(
  "deliveries",
  {
    /** The code host's id of the delivery. */
    id: text().primaryKey(),
    /** With how far it has come; null once the delivery is over. */
    webhook: text({ mode: "json" }).$type<KeptWebhook>(),
    receivedAt: integer().notNull(),
    attempts: integer().notNull(),
    /** The next try; null once the delivery is over. */
    dueAt: integer(),
  },
  (delivery) => [index("deliveries_by_due").on(delivery.dueAt), index("deliveries_by_time").on(delivery.receivedAt)],
);
