// One try of a notification: it is sent to each device that has not received it, and each response
// affects only its own device.
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { type Apns, readApns, sendNotification } from "../../src/notification/apns.ts";
import { type DeviceToNotify, deleteDevices } from "../../src/notification/queries.ts";
import type { Notification } from "../../src/notification/rules/notification.ts";
import { getMeaning, type Meaning } from "../../src/notification/rules/response.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { getApnsTokenObject } from "../address.ts";

/** How many requests are started in parallel. The platform may queue some of them. */
const lanes = 50;
/** If a device takes longer than this, its lane starts the next one without waiting for it. */
const laneMs = 1_000;

/**
 * Sends a notification to devices. `onSettled` is called for each device that is finished. Throws
 * if no token for the push service is available.
 */
export async function sendToDevices(
  env: Env,
  notice: Notification,
  devices: readonly DeviceToNotify[],
  onSettled: (device: DeviceToNotify) => void,
): Promise<void> {
  const apns = getSettings(env);
  const providerToken = await getToken(env, apns);
  const gone: DeviceToNotify[] = [];

  async function send(device: DeviceToNotify): Promise<void> {
    switch (await sendAndRead(env, apns, providerToken, device, notice)) {
      case "delivered":
      case "refused":
        return onSettled(device);
      case "forget":
        return void gone.push(device);
      case "again":
      case "new-token":
        return;
    }
  }

  await inLanes(devices, send);
  await deleteDevices(env.DB, gone);
  for (const device of gone) onSettled(device);
}

function getSettings(env: Env): Apns {
  const apns = readApns(env);
  if ("lacking" in apns) throw new Error(`${apns.lacking.join(", ")} not set`);
  return apns;
}

async function getToken(env: Env, apns: Apns, refused?: string): Promise<string> {
  const token = await getApnsTokenObject(env, apns).token(refused);
  if (isRefusal(token)) throw new Error(token.message);
  return token;
}

async function sendAndRead(
  env: Env,
  apns: Apns,
  providerToken: string,
  device: DeviceToNotify,
  notice: Notification,
): Promise<Meaning> {
  let answer = await sendNotification(apns, providerToken, device, notice);
  let meaning = getMeaning(answer, false);
  if (meaning === "new-token") {
    answer = await sendNotification(apns, await getToken(env, apns, providerToken), device, notice);
    meaning = getMeaning(answer, true);
  }
  if (meaning === "refused")
    log.error("notification.refused", {
      notificationId: notice.id,
      kind: notice.kind,
      status: answer.status,
      error: answer.reason,
    });
  return meaning;
}

/**
 * Does work for each device, some in parallel. A slow device does not prevent the next from
 * starting.
 */
async function inLanes(
  devices: readonly DeviceToNotify[],
  work: (device: DeviceToNotify) => Promise<void>,
): Promise<void> {
  const next = devices.values();
  const begun: Promise<void>[] = [];
  async function lane(): Promise<void> {
    for (const device of next) {
      const working = work(device);
      begun.push(working);
      await waitAtMost(working, laneMs);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  await Promise.all(begun);
}
