// The devices on which the user is notified that a session or a cron needs them.
import type { Env } from "../env.ts";
import { endpoint } from "../http/endpoint.ts";
import { noContent, ok } from "../http/response.ts";
import { formatTime, formatTimeOrNull } from "../lib/wire.ts";
import { getAddressFacts } from "../network/outside.ts";
import { type Refusal, refuse, refuseMistakes } from "../rules/refusal.ts";
import { findAddressMistake } from "../webhook/rules/address.ts";
import { deleteDevice, deleteDeviceById, listDevices, saveDevice, saveWebDevice } from "./queries/devices.ts";
import { findInstallationMistake, olderGeneration, toStoredToken } from "./rules/device.ts";
import { findWebPushKey } from "./web-push.ts";
import { isPushKey } from "./web-push-crypto.ts";
import { deviceSchema, listedDevicesSchema, type PhoneBody, removedDeviceSchema, type WebBody } from "./wire.ts";

const path = "/api/push/devices";
const tag = "Account";

const list = endpoint({
  method: "GET",
  path,
  operation: "listPushDevices",
  summary: "List your devices, the newest first.",
  tag,
  access: "push-device.list",
  noun: "none",
  response: { status: 200, data: listedDevicesSchema },
  async handle({ env, now, caller: { user, keyId: own } }) {
    if (!user) return refuse("FORBIDDEN");
    const devices = await listDevices(env.DB, user.id, now);
    return ok(
      devices.map(({ keyId, createdAt, lastUsedAt, ...device }) => ({
        ...device,
        createdAt: formatTime(createdAt),
        lastUsedAt: formatTimeOrNull(lastUsedAt),
        isCurrent: keyId === own,
      })),
    );
  },
});

const register = endpoint({
  method: "POST",
  path,
  operation: "registerPushDevice",
  summary:
    "Register a device for push notifications. A token or endpoint that another user registered becomes yours. A watch with an older generation than the stored one gets 409.",
  tag,
  access: "push-device.register",
  noun: "none",
  body: { schema: deviceSchema },
  response: { status: 204 },
  refusals: ["CONFLICT", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller: { user, keyId }, body }) {
    if (!user) return refuse("FORBIDDEN");
    const by = { userId: user.id, keyId };
    const refusal =
      body.platform === "web" ? await registerBrowser(env, by, body, now) : await registerPhone(env, by, body, now);
    return refusal ?? noContent;
  },
});

/** Who registers a device, and with which key. */
interface Registrant {
  userId: string;
  keyId: string;
}

async function registerBrowser(
  env: Env,
  by: Registrant,
  { subscription: { endpoint: address, keys }, label }: WebBody,
  now: number,
): Promise<Refusal | null> {
  if ((await findWebPushKey(env)) === null)
    return refuse(
      "SERVICE_UNAVAILABLE",
      "This service sends no notifications to browsers: its operator has not set WEB_PUSH_PRIVATE_KEY.",
    );
  const message = findAddressMistake(address, getAddressFacts(env));
  if (message !== null) return refuseMistakes([{ path: "subscription.endpoint", message }]);
  if (!(await isPushKey(keys.p256dh)))
    return refuseMistakes([{ path: "subscription.keys.p256dh", message: "is not a public key of P-256" }]);
  await saveWebDevice(env.DB, { ...by, ...keys, endpoint: address, label }, now);
  return null;
}

async function registerPhone(env: Env, { userId }: Registrant, body: PhoneBody, now: number): Promise<Refusal | null> {
  const { token, bundleId, environment, platform, installationId, generation, label } = body;
  const mistake = findInstallationMistake(platform, body);
  if (mistake) return refuseMistakes([mistake]);
  const installation =
    installationId === undefined || generation === undefined ? null : { id: installationId, generation };
  const device = { token: toStoredToken(token), bundleId, environment, platform, installation, label: label ?? null };
  if (await saveDevice(env.DB, userId, device, now)) return null;
  return olderGeneration;
}

const remove = endpoint({
  method: "DELETE",
  path,
  operation: "removePushDevice",
  summary: "Remove one of your devices by its token or its id. Another user's device is not changed.",
  tag,
  access: "push-device.remove",
  noun: "none",
  body: { schema: removedDeviceSchema },
  response: { status: 204 },
  async handle({ env, caller: { user }, body: { token, id } }) {
    if (!user) return refuse("FORBIDDEN");
    if (token !== undefined) await deleteDevice(env.DB, user.id, toStoredToken(token));
    if (id !== undefined) await deleteDeviceById(env.DB, user.id, id);
    return noContent;
  },
});

export const pushDeviceRoutes = [list, register, remove];
