// The devices on which people get push notifications, and the notifications that are being
// delivered.
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { pushEnvironments, pushPlatforms } from "./rules/device.ts";
import type { Notification } from "./rules/notification.ts";

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
     * Of a watch; null for a phone. It identifies an installation only per user, because any user
     * can send any value.
     */
    installationId: text(),
    generation: integer(),
    /** New with each registration, so that a later registration can be recognized. */
    registrationId: text().notNull(),
    registeredAt: integer().notNull(),
    /** What the person calls it; null without a name. */
    label: text(),
    /** When a notification last reached it. */
    lastUsedAt: integer(),
  },
  (device) => [
    uniqueIndex("push_devices_by_installation").on(device.userId, device.installationId),
    index("push_devices_by_user").on(device.userId, device.registeredAt),
  ],
);

/**
 * Browsers that get notifications. An earlier version of the service would send to them through
 * APNs, so they are not rows of `push_devices`.
 */
export const webPushDevices = sqliteTable(
  "web_push_devices",
  {
    id: text().primaryKey(),
    /** A browser has one, so it has one user: the last one who registered it. */
    endpoint: text().notNull(),
    userId: text().notNull(),
    p256dh: text().notNull(),
    auth: text().notNull(),
    label: text().notNull(),
    /** The browser session or the API key that registered it, with which it ends. */
    keyId: text().notNull(),
    registeredAt: integer().notNull(),
    lastUsedAt: integer(),
  },
  (device) => [
    uniqueIndex("web_push_devices_by_endpoint").on(device.endpoint),
    index("web_push_devices_by_user").on(device.userId, device.registeredAt),
  ],
);

/**
 * A row exists until every device has the notification, so that the sweep finds one whose object
 * was never started or lost its alarm.
 */
export const pushNotices = sqliteTable(
  "push_notices",
  {
    id: text().primaryKey(),
    notice: text({ mode: "json" }).$type<Notification>().notNull(),
    /** When it is tried next. */
    dueAt: integer().notNull(),
  },
  (notice) => [index("push_notices_by_due").on(notice.dueAt)],
);
