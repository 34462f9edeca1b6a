// Hands a notification to its object, which sends it to devices and retries if necessary.
import { getNotificationObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { type ApnsEnv, readApns } from "./apns.ts";
import { saveNotification } from "./queries.ts";
import { isOver, type Notification } from "./rules/notification.ts";

let hasSaid = false;

/** Idempotent. A notification without any recipient device is not saved. */
export async function notifyPeople(
  env: Pick<Env, "DB" | "NOTIFICATION" | "JURISDICTION"> & ApnsEnv,
  notice: Notification,
): Promise<void> {
  const now = Date.now();
  if (!isSet(env)) return;
  if (isOver(notice, now)) return log.error("notification.expired", { notificationId: notice.id, kind: notice.kind });
  if (await saveNotification(env.DB, notice, now)) await getNotificationObject(env, notice.id).begin(notice);
}

/** False without the settings of APNs, which is logged once. */
function isSet(env: ApnsEnv): boolean {
  const apns = readApns(env);
  if (!("lacking" in apns)) return true;
  if (!hasSaid) log.warn("notification.not_configured", { missing: apns.lacking.join(", ") });
  hasSaid = true;
  return false;
}
