// The audit log. Events stay here for a month; then they move to storage.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AuditEvent } from "./rules/event.ts";

export const auditEvents = sqliteTable(
  "audit_events",
  {
    workspaceId: text().notNull(),
    id: text().notNull(),
    at: integer().notNull(),
    event: text({ mode: "json" }).$type<Omit<AuditEvent, "id" | "at" | "workspaceId">>().notNull(),
  },
  (event) => [
    primaryKey({ columns: [event.workspaceId, event.id] }),
    index("audit_events_by_time").on(event.at),
    // Whether a request with an Idempotency-Key is in the log already. Most events have no key.
    index("audit_events_by_repeat")
      .on(event.workspaceId, sql`event ->> '$.repeat'`, event.id)
      .where(sql`event ->> '$.repeat' IS NOT NULL`),
  ],
);

/** The days that are in storage. */
export const auditDays = sqliteTable(
  "audit_days",
  {
    workspaceId: text().notNull(),
    /** Such as `2026-01-31`. */
    day: text().notNull(),
  },
  (stored) => [primaryKey({ columns: [stored.workspaceId, stored.day] }), index("audit_days_by_day").on(stored.day)],
);
