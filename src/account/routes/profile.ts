// The user's own profile.
import * as z from "zod";
import { ownerOf } from "../../access/rules/actor.ts";
import { noContent, ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { userNameCharactersMax } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import { changeProfile, findProfile } from "../queries.ts";
import type { ProfileChanges } from "../rules/profile.ts";
import { profileOnWire, profileSchema, replyStyleSchema } from "../wire.ts";

const path = "/api/user/profile";
const tag = "Account";

const read = endpoint({
  method: "GET",
  path,
  operation: "readProfile",
  summary: "Read your profile.",
  tag,
  access: "profile.read",
  noun: "none",
  answers: { status: 200, data: profileSchema },
  async handle({ env, caller: { actor } }) {
    const user = ownerOf(actor);
    const profile = user && (await findProfile(env.DB, user.id));
    return profile ? ok(profileOnWire(profile)) : refuse("FORBIDDEN");
  },
});

const changeBody = z
  .strictObject({
    name: z.string().trim().min(1).max(userNameCharactersMax).optional().describe("The name that people read."),
    marketingEmails: z.boolean().optional().describe("Whether you want emails about the product."),
    autoCommit: z.boolean().optional().describe("True for Automatic commits, false for Manual."),
    replyStyle: replyStyleSchema.optional().describe("How the agent words its replies to you."),
  })
  .meta({ examples: [{ name: "Mia Member", replyStyle: "simplified" }] });

/** The changes that a body names. */
function changesOf(body: z.infer<typeof changeBody>): ProfileChanges {
  const named = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as ProfileChanges;
}

const change = endpoint({
  method: "PUT",
  path,
  operation: "changeProfile",
  summary: "Change your profile. What is left out stays.",
  tag,
  access: "profile.change",
  noun: "none",
  body: { schema: changeBody },
  answers: { status: 204 },
  async handle({ env, caller: { user }, body }) {
    if (!user) return refuse("FORBIDDEN");
    await changeProfile(env.DB, user.id, changesOf(body));
    return noContent;
  },
});

const completeOnboarding = endpoint({
  method: "POST",
  path: "/api/user/complete-onboarding",
  operation: "completeOnboarding",
  summary:
    "Say that you have completed the onboarding, and with it what your profile is to be. What is left out stays.",
  tag,
  access: "profile.change",
  noun: "none",
  body: { schema: changeBody.nullish() },
  answers: { status: 204 },
  async handle({ env, caller: { user }, body }) {
    if (!user) return refuse("FORBIDDEN");
    await changeProfile(env.DB, user.id, { ...changesOf(body ?? {}), onboardingCompleted: true });
    return noContent;
  },
});

export const profileRoutes = [read, change, completeOnboarding];
