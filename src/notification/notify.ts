// Hands a notification to its object, which sends it to devices and retries if necessary.
import { noticeObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { type ApnsEnv, readApns } from "./apns.ts";
import { keepNotice } from "./queries.ts";
import { isOver, type Notice } from "./rules/notification.ts";

let hasSaid = false;

/** Idempotent. A notification without any recipient device is not saved. */
export async function tellPeople(env: Pick<Env, "DB" | "NOTICE"> & ApnsEnv, notice: Notice): Promise<void> {
  const now = Date.now();
  if (!isSet(env)) return;
  if (isOver(notice, now)) return console.error("a notice is given up after an hour", notice.id, notice.kind);
  if (await keepNotice(env.DB, notice, now)) await noticeObject(env, notice.id).begin(notice);
}

/** False without the settings of APNs, which is logged once. */
function isSet(env: ApnsEnv): boolean {
  const apns = readApns(env);
  if (!("lacking" in apns)) return true;
  if (!hasSaid) console.error(`no notices are sent to devices: ${apns.lacking.join(", ")} not set`);
  hasSaid = true;
  return false;
}
