// A user's profile on the wire.
import * as z from "zod";
import { exampleIds, exampleTimes, formatTime, timestamp } from "../lib/wire.ts";
import { pictureBytes } from "../rules/limits.ts";
import { pictureTypes } from "./rules/picture.ts";
import { type Profile, replyStyles } from "./rules/profile.ts";

const exampleProfile = {
  id: exampleIds.user,
  email: "mia@example.com",
  name: "Mia Member",
  imageUrl: null,
  onboardingCompleted: true,
  createdAt: exampleTimes.started,
  marketingEmails: false,
  autoCommit: true,
  replyStyle: "standard",
  plainLanguage: false,
  defaultModel: "anthropic:opus__high",
  isSuperAdmin: false,
};

export const replyStyleSchema = z.enum(replyStyles);

export const profileSchema = z
  .object({
    id: z.string().describe("The user's id."),
    email: z.string().describe("The user's address."),
    name: z.string().describe("The name for people."),
    imageUrl: z.string().nullable().describe("The address of the user's picture; null for none."),
    onboardingCompleted: z.boolean().describe("True once the user has completed the onboarding."),
    createdAt: timestamp.describe("When the user first signed in."),
    marketingEmails: z.boolean().describe("True when the user wants emails about the product."),
    autoCommit: z.boolean().describe("True for Automatic commits."),
    replyStyle: replyStyleSchema.describe("The style of replies."),
    plainLanguage: z.boolean().describe("Old: true when `replyStyle` is `not_tech`."),
    defaultModel: z.string().nullable().describe("The user's default model; null for the workspace's."),
    isSuperAdmin: z.boolean().describe("True for the operators of the service."),
  })
  .meta({ id: "UserProfile", description: "The profile of a user.", examples: [exampleProfile] });

export function toWireProfile({ createdAt, ...profile }: Profile): z.infer<typeof profileSchema> {
  // Operators have no accounts of their own.
  const derived = { plainLanguage: profile.replyStyle === "not_tech", isSuperAdmin: false };
  return { ...profile, ...derived, createdAt: formatTime(createdAt) };
}

export const codeHostAccountSchema = z
  .object({
    login: z.string().nullable().describe("Its login; null while none is connected."),
    accountId: z.string().nullable().describe("Its id at the code host."),
  })
  .meta({ examples: [{ login: "mia-member", accountId: "7" }] });

/** A picture on the wire. The request body is the image itself. */
export const pictureBody = {
  schema: z.instanceof(Uint8Array).describe("The image itself. Its first bytes say what it is."),
  maxBytes: pictureBytes,
  mediaTypes: pictureTypes,
};

export const examplePictureUrl = "https://switchyard.example.com/pictures/3kJ9vT0bYcR5mW8pL1nZ6dF2gH4sA7eUqXoIyBtx7Qa";
