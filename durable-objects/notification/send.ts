// One try of a notification: it is sent to each device that has not received it, and each response
// affects only its own device.
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { type Apns, readApns, sendNotification } from "../../src/notification/apns.ts";
import { type DeviceToNotify, deleteDevices } from "../../src/notification/queries/notifications.ts";
import type { Notification } from "../../src/notification/rules/notification.ts";
import { getMeaning, getWebMeaning, type Meaning, type PushAnswer } from "../../src/notification/rules/response.ts";
import { createBrowserSender, readWebPushKey } from "../../src/notification/web-push.ts";
import { isRefusal } from "../../src/rules/refusal.ts";
import { getApnsTokenObject } from "../address.ts";

/** How many requests are started in parallel. The platform may queue some of them. */
const lanes = 50;
/** If a device takes longer than this, its lane starts the next one without waiting for it. */
const laneMs = 1_000;

/**
 * Sends a notification to devices. `onSettled` is called for each device that is finished, and says
 * whether the device has it. Throws if no token for APNs is available, once browsers have theirs.
 */
export async function sendToDevices(
  env: Env,
  notice: Notification,
  devices: readonly DeviceToNotify[],
  onSettled: Job["onSettled"],
): Promise<void> {
  const isBrowser = ({ auth }: DeviceToNotify) => auth !== null;
  const job = { env, notice, onSettled };
  const [browsers, phones] = await Promise.allSettled([
    sendEach(job, devices.filter(isBrowser), async () => {
      const key = readWebPushKey(env);
      if (key === null) throw new Error("WEB_PUSH_PRIVATE_KEY not set");
      const sendTo = createBrowserSender(env, key);
      return async ({ token, p256dh, auth }) => {
        const answer = await sendTo({ endpoint: token, p256dh: p256dh ?? "", auth: auth ?? "" }, notice);
        return { answer, meaning: getWebMeaning(answer) };
      };
    }),
    sendEach(
      job,
      devices.filter((device) => !isBrowser(device)),
      async () => {
        const apns = getSettings(env);
        const providerToken = await getToken(env, apns);
        return (device) => sendAndRead(env, apns, providerToken, device, notice);
      },
    ),
  ]);
  if (phones.status === "rejected") throw phones.reason;
  if (browsers.status === "rejected") throw browsers.reason;
}

interface Job {
  env: Env;
  notice: Notification;
  onSettled(device: DeviceToNotify, isReached: boolean): void;
}
interface Result {
  answer: PushAnswer;
  meaning: Meaning;
}

/** Sends to the devices of one push service, which is opened only if there are any. */
async function sendEach(
  { env, notice, onSettled }: Job,
  devices: readonly DeviceToNotify[],
  open: () => Promise<(device: DeviceToNotify) => Promise<Result>>,
): Promise<void> {
  if (devices.length === 0) return;
  const sendTo = await open();
  const gone: DeviceToNotify[] = [];

  async function send(device: DeviceToNotify): Promise<void> {
    const { answer, meaning } = await sendTo(device);
    switch (meaning) {
      case "delivered":
        return onSettled(device, true);
      case "refused":
        logRefused(notice, answer);
        return onSettled(device, false);
      case "forget":
        return void gone.push(device);
      case "again":
      case "new-token":
        return;
    }
  }

  await inLanes(devices, send);
  await deleteDevices(env.DB, gone);
  for (const device of gone) onSettled(device, false);
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
): Promise<Result> {
  const answer = await sendNotification(apns, providerToken, device, notice);
  const meaning = getMeaning(answer, false);
  if (meaning !== "new-token") return { answer, meaning };
  const renewed = await sendNotification(apns, await getToken(env, apns, providerToken), device, notice);
  return { answer: renewed, meaning: getMeaning(renewed, true) };
}

function logRefused({ id, kind }: Notification, { status, reason }: PushAnswer): void {
  log.error("notification.refused", { notificationId: id, kind, status, error: reason });
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
  const started: Promise<void>[] = [];
  async function lane(): Promise<void> {
    for (const device of next) {
      const working = work(device);
      started.push(working);
      await waitAtMost(working, laneMs);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane));
  await Promise.all(started);
}
