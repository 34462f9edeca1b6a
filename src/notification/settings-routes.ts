// Which kinds of push notifications the user wants, on all devices.
import { endpoint } from "../http/endpoint.ts";
import { noContent, ok } from "../http/response.ts";
import { refuse } from "../rules/refusal.ts";
import { readKindsOff, saveKindsOff } from "./queries/devices.ts";
import { toSwitches, updateKindsOff } from "./rules/switches.ts";
import { notificationChangesSchema, notificationSettingsSchema } from "./wire.ts";

const path = "/api/user/notifications";
const tag = "Account";

const read = endpoint({
  method: "GET",
  path,
  operation: "readNotificationSettings",
  summary: "Read which kinds of push notifications you want. All are on until you switch them off.",
  tag,
  access: "push-device.list",
  noun: "none",
  response: { status: 200, data: notificationSettingsSchema },
  async handle({ env, caller: { user } }) {
    if (!user) return refuse("FORBIDDEN");
    return ok({ kinds: toSwitches(await readKindsOff(env.DB, user.id)) });
  },
});

const change = endpoint({
  method: "PUT",
  path,
  operation: "changeNotificationSettings",
  summary: "Switch kinds of push notifications on or off. Omitted fields stay as they are.",
  tag,
  access: "push-device.register",
  noun: "none",
  body: { schema: notificationChangesSchema },
  response: { status: 204 },
  async handle({ env, caller: { user }, body: { kinds } }) {
    if (!user) return refuse("FORBIDDEN");
    await saveKindsOff(env.DB, user.id, updateKindsOff(await readKindsOff(env.DB, user.id), kinds));
    return noContent;
  },
});

export const notificationSettingRoutes = [read, change];
