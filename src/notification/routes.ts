// The devices on which the user is notified that a session or a cron needs them.
import * as z from "zod";
import { endpoint } from "../http/endpoint.ts";
import { noContent } from "../http/response.ts";
import { refuse, refuseMistakes } from "../rules/refusal.ts";
import { deleteDevice, saveDevice } from "./queries.ts";
import {
  bundleIdCharactersMax,
  bundleIdPattern,
  deviceTokenPattern,
  findInstallationMistake,
  installationIdCharactersMax,
  pushEnvironments,
  pushPlatforms,
  toStoredToken,
} from "./rules/device.ts";

const path = "/api/push/devices";
const tag = "Account";

const exampleToken = "3f9a0c5d7e1b2468ace013579bdf02468ace13579bdf0123456789abcdef4211";
const tokenField = z
  .string()
  .regex(deviceTokenPattern, {
    error: "is not a device token, which has an even number of hexadecimal digits, 32 to 200",
  })
  .describe("The device token, in hexadecimal digits of any case.");

const deviceSchema = z
  .strictObject({
    token: tokenField,
    bundleId: z
      .string()
      .max(bundleIdCharactersMax)
      .regex(bundleIdPattern, { error: "is not a bundle id, such as com.example.app" })
      .describe("The bundle id of the app that the token was issued to."),
    environment: z.enum(pushEnvironments).describe("The push environment that the token belongs to."),
    platform: z.enum(pushPlatforms).describe("What the device is."),
    installationId: z
      .string()
      .min(1)
      .max(installationIdCharactersMax)
      .optional()
      .describe("Of a watch: the id of the app's installation. Its new token replaces the previous one."),
    generation: z
      .int()
      .min(0)
      .optional()
      .describe("Of a watch: a number that it raises with every registration of the installation."),
  })
  .meta({
    id: "PushDevice",
    description: "A phone or a watch that gets push notifications.",
    examples: [{ token: exampleToken, bundleId: "com.example.app", environment: "production", platform: "ios" }],
  });

const register = endpoint({
  method: "POST",
  path,
  operation: "registerPushDevice",
  summary:
    "Get push notifications on a phone or a watch. A token that somebody has registered already moves to you. A generation of a watch below the stored one returns 409.",
  tag,
  access: "push-device.register",
  noun: "none",
  body: { schema: deviceSchema },
  answers: { status: 204 },
  refusals: ["CONFLICT"],
  async handle({ env, now, caller: { user }, body }) {
    if (!user) return refuse("FORBIDDEN");
    const { token, bundleId, environment, platform, installationId, generation } = body;
    const mistake = findInstallationMistake(platform, body);
    if (mistake) return refuseMistakes([mistake]) ?? noContent;
    const installation =
      installationId === undefined || generation === undefined ? null : { id: installationId, generation };
    const device = { token: toStoredToken(token), bundleId, environment, platform, installation };
    if (await saveDevice(env.DB, user.id, device, now)) return noContent;
    return refuse(
      "CONFLICT",
      "A newer generation of this installation is registered. Raise generation, then register.",
    );
  },
});

const remove = endpoint({
  method: "DELETE",
  path,
  operation: "removePushDevice",
  summary: "Get no more push notifications on one of your devices. A token that is not yours is not changed.",
  tag,
  access: "push-device.remove",
  noun: "none",
  body: {
    schema: z
      .strictObject({ token: tokenField })
      .meta({ id: "PushDeviceToken", description: "A device's token.", examples: [{ token: exampleToken }] }),
  },
  answers: { status: 204 },
  async handle({ env, caller: { user }, body: { token } }) {
    if (!user) return refuse("FORBIDDEN");
    await deleteDevice(env.DB, user.id, toStoredToken(token));
    return noContent;
  },
});

export const pushDeviceRoutes = [register, remove];
