// The devices that people get push notices on, and the notices that are on their way.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { pushEnvironments, pushPlatforms } from "./rules/device.ts";
import type { Notice } from "./rules/notification.ts";

export const pushDevices = sqliteTable(
  "push_devices",
  {
    /** Hexadecimal, in lower case. */
    token: text().primaryKey(),
    userId: text().notNull(),
    bundleId: text().notNull(),
    environment: text({ enum: pushEnvironments }).notNull(),
    platform: text({ enum: pushPlatforms }).notNull(),
    /**
     * Of a watch; null for a phone. It names one installation of its user, for anybody can send
     * any.
     */
    installationId: text(),
    generation: integer(),
    /** New with each registration, by which one that came since is known. */
    registrationId: text().notNull(),
    registeredAt: integer().notNull(),
  },
  (device) => [
    uniqueIndex("push_devices_by_installation").on(device.userId, device.installationId),
    index("push_devices_by_user").on(device.userId, device.registeredAt),
  ],
);

/**
 * A row stands until every device has the notice, so that one whose object was never started, or
 * lost its alarm, is found.
 */
export const pushNotices = sqliteTable(
  "push_notices",
  {
    id: text().primaryKey(),
    notice: text({ mode: "json" }).$type<Notice>().notNull(),
    /** When it is to be tried next. */
    dueAt: integer().notNull(),
  },
  (notice) => [index("push_notices_by_due").on(notice.dueAt)],
);
