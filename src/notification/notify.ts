// Hands a notification to its object, which sends it to devices and retries if necessary.
import { getNotificationObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { log } from "../lib/log.ts";
import { type ApnsEnv, readApns } from "./apns.ts";
import { saveNotification, type Ways } from "./queries/notifications.ts";
import { isOver, type Notification } from "./rules/notification.ts";
import { readWebPushKey, type WebPushEnv } from "./web-push.ts";

let hasSaid = false;

/** Idempotent. A notification without any recipient device is not saved. */
export async function notifyPeople(
  env: Pick<Env, "DB" | "NOTIFICATION" | "JURISDICTION"> & ApnsEnv & WebPushEnv,
  notice: Notification,
): Promise<void> {
  const now = Date.now();
  const ways = getWays(env);
  if (!ways.apns && !ways.web) return sayOnce(env);
  if (isOver(notice, now)) return log.error("notification.expired", { notificationId: notice.id, kind: notice.kind });
  if (await saveNotification(env.DB, notice, ways, now)) await getNotificationObject(env, notice.id).start(notice);
}

/** The push services whose settings are there. */
export function getWays(env: ApnsEnv & WebPushEnv): Ways {
  return { apns: !("lacking" in readApns(env)), web: readWebPushKey(env) !== null };
}

/** Logs once that the settings of every push service are missing. */
function sayOnce(env: ApnsEnv): void {
  const apns = readApns(env);
  const lacking = "lacking" in apns ? apns.lacking : [];
  if (!hasSaid) log.warn("notification.not_configured", { missing: [...lacking, "WEB_PUSH_PRIVATE_KEY"].join(", ") });
  hasSaid = true;
}
