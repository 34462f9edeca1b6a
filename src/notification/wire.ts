// The wire format of devices and of what a person wants to be notified of.
import * as z from "zod";
import { exampleTimes, timestamp } from "../lib/wire.ts";
import { deviceLabelCharacters, webhookUrlCharacters } from "../rules/limits.ts";
import {
  bundleIdCharactersMax,
  bundleIdPattern,
  deviceTokenPattern,
  installationIdCharactersMax,
  pushEnvironments,
  pushPlatforms,
} from "./rules/device.ts";
import { type NotificationKind, notificationKinds } from "./rules/notification.ts";
import { p256dhPattern, pushAuthPattern } from "./rules/web-device.ts";

const exampleToken = "3f9a0c5d7e1b2468ace013579bdf02468ace13579bdf0123456789abcdef4211";
const exampleId = "0f8f2c1e-5d0b-4b7a-9a3e-6c1d2e3f4a5b";
const tokenField = z
  .string()
  .regex(deviceTokenPattern, {
    error: "is not a device token, which has an even number of hexadecimal digits, 32 to 200",
  })
  .describe("The device token, in hexadecimal.");
const labelField = z.string().trim().min(1).max(deviceLabelCharacters).describe("Your name for the device.");

const phoneSchema = z
  .strictObject({
    token: tokenField,
    bundleId: z
      .string()
      .max(bundleIdCharactersMax)
      .regex(bundleIdPattern, { error: "is not a bundle id, such as com.example.app" })
      .describe("The bundle id of the token's app."),
    environment: z.enum(pushEnvironments).describe("The token's environment."),
    platform: z.enum(pushPlatforms).describe("The kind of device."),
    installationId: z
      .string()
      .min(1)
      .max(installationIdCharactersMax)
      .optional()
      .describe("Of a watch: the id of the app's installation. Its new token replaces the previous one."),
    generation: z.int().min(0).optional().describe("Of a watch: a number that increases with each registration."),
    label: labelField.optional(),
  })
  .meta({
    id: "PushDevice",
    description: "A phone or a watch that gets push notifications.",
    examples: [{ token: exampleToken, bundleId: "com.example.app", environment: "production", platform: "ios" }],
  });
export type PhoneBody = z.infer<typeof phoneSchema>;

const webSchema = z
  .strictObject({
    platform: z.literal("web").describe("A browser."),
    subscription: z
      .strictObject({
        endpoint: z.string().max(webhookUrlCharacters).describe("The push service's address of the browser."),
        keys: z
          .strictObject({
            p256dh: z
              .string()
              .regex(p256dhPattern, { error: "is not a public key of 65 bytes in base64url" })
              .describe("Its public key."),
            auth: z.string().regex(pushAuthPattern, { error: "is not 16 bytes in base64url" }).describe("Its secret."),
          })
          .describe("The keys of the encryption."),
      })
      .describe("From `pushManager.subscribe` with the `webPushKey`."),
    label: labelField,
  })
  .meta({
    id: "PushBrowser",
    description: "A browser that gets push notifications.",
    examples: [
      {
        platform: "web",
        subscription: {
          endpoint: "https://push.example.com/send/1a2b",
          keys: {
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg",
          },
        },
        label: "Firefox on Linux",
      },
    ],
  });
export type WebBody = z.infer<typeof webSchema>;

export const deviceSchema = z.discriminatedUnion("platform", [phoneSchema, webSchema]);

export const removedDeviceSchema = z
  .strictObject({
    token: tokenField.optional(),
    id: z.string().min(1).max(100).optional().describe("Its id in the list."),
  })
  .refine(({ token, id }) => (token === undefined) !== (id === undefined), {
    path: ["token"],
    error: "or id is needed, and only one of them",
  })
  .meta({ id: "PushDeviceToken", description: "A device's token or id.", examples: [{ token: exampleToken }] });

export const listedDevicesSchema = z.array(
  z
    .object({
      id: z.string().describe("It changes with each registration."),
      platform: z.enum([...pushPlatforms, "web"]).describe("The kind of device; `web` for a browser."),
      label: z.string().nullable().describe("The name that you gave it; null without one."),
      createdAt: timestamp.describe("When it was registered."),
      lastUsedAt: timestamp.nullable().describe("When a notification last reached it; null if none has."),
      isCurrent: z.boolean().describe("True for the browser of this session."),
    })
    .meta({
      id: "ListedPushDevice",
      description: "A device that gets push notifications.",
      examples: [
        {
          ...{ id: exampleId, platform: "web", label: "Firefox on Linux", createdAt: exampleTimes.started },
          ...{ lastUsedAt: null, isCurrent: true },
        },
      ],
    }),
);

/** What each kind is about. */
const kindTexts: Record<NotificationKind, string> = {
  job_awaiting_response: "An agent asks a question.",
  job_failed: "A turn failed.",
  pr_checks_failed: "Checks of a pull request failed.",
  cron_run_failed: "A run of your cron failed.",
  webhook_disabled: "A webhook was disabled.",
};

function createKinds<Field extends z.ZodType>(createField: (text: string) => Field): Record<NotificationKind, Field> {
  return Object.fromEntries(notificationKinds.map((kind) => [kind, createField(kindTexts[kind])])) as Record<
    NotificationKind,
    Field
  >;
}

const exampleKinds = Object.fromEntries(notificationKinds.map((kind) => [kind, kind !== "job_failed"]));

export const notificationSettingsSchema = z
  .object({
    kinds: z.object(createKinds((text) => z.boolean().describe(text))).describe("True for a kind that you want."),
  })
  .meta({
    id: "NotificationSettings",
    description: "Which kinds of push notifications you want.",
    examples: [{ kinds: exampleKinds }],
  });

export const notificationChangesSchema = z
  .strictObject({
    kinds: z
      .strictObject(createKinds((text) => z.boolean().optional().describe(text)))
      .describe("True for a kind that you want."),
  })
  .meta({ examples: [{ kinds: { job_failed: false } }] });
