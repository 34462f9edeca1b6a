// Notifications in this browser: its subscription at its push service, which the service knows as
// a device of the person.
import { refreshDevices } from "../account/queries.ts";
import { service } from "../api.ts";
import { formatBrowserName } from "./browser-name.ts";
import { forgetSignOut, wasSignedOut } from "./signed-out.ts";

/** Who turned notifications on in this browser. Somebody else who signs in here did not. */
const ownerKey = "notifications-of";

/** False in a browser without push. An iPhone has it once the page is on its home screen. */
export const isPushSupported = () =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

function toBytes(key: string): Uint8Array<ArrayBuffer> {
  const binary = atob(key.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** True for a subscription with the service's present key. */
function isOfKey({ options }: PushSubscription, key: Uint8Array): boolean {
  const of = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return of.length === key.length && of.every((byte, place) => byte === key[place]);
}

/** Subscribes this browser, or takes the subscription that it has, and registers it as a device. */
async function registerBrowser(webPushKey: string): Promise<void> {
  const registration = await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  const key = toBytes(webPushKey);
  const before = await registration.pushManager.getSubscription();
  // A subscription is for one key. The push service refuses messages of another one.
  if (before && !isOfKey(before, key)) await before.unsubscribe();
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint = "", keys } = subscription.toJSON();
  await service.request("POST /api/push/devices", {
    body: {
      platform: "web",
      subscription: { endpoint, keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" } },
      label: formatBrowserName(navigator.userAgent),
    },
  });
}

/** Asks the person for the permission, and turns notifications on unless they refuse. */
export async function turnOnPush(userId: string, webPushKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") return;
  await registerBrowser(webPushKey);
  localStorage.setItem(ownerKey, userId);
}

/** Turns notifications off in this browser. */
export async function turnOffPush(deviceId: string): Promise<void> {
  await service.request("DELETE /api/push/devices", { body: { id: deviceId } });
  await forgetBrowser();
}

async function forgetBrowser(): Promise<void> {
  localStorage.removeItem(ownerKey);
  const registration = await navigator.serviceWorker.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/**
 * Registers this browser again after a new sign-in, or with a new key of the service. One that was
 * removed elsewhere stays removed.
 */
export async function keepPush(userId: string): Promise<void> {
  if (!isPushSupported() || Notification.permission !== "granted" || localStorage.getItem(ownerKey) !== userId) return;
  const [{ webPushKey }, devices, registration] = await Promise.all([
    service.request("GET /api/meta"),
    service.request("GET /api/push/devices"),
    navigator.serviceWorker.getRegistration("/"),
  ]);
  if (webPushKey === null) return;
  const subscription = await registration?.pushManager.getSubscription();
  const isRegistered = devices.some(({ isCurrent }) => isCurrent);
  if (!isRegistered && !wasSignedOut()) return await forgetBrowser();
  if (!subscription || !isRegistered || !isOfKey(subscription, toBytes(webPushKey))) {
    await registerBrowser(webPushKey);
    // The page of notifications may show the list from before.
    await refreshDevices();
  }
  forgetSignOut();
}
