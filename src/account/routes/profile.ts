// The user's own profile.
import * as z from "zod";
import { findOwner } from "../../access/rules/actor.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { noContent, ok, toRefusalResponse, unchanged } from "../../http/response.ts";
import { userNameCharactersMax } from "../../rules/limits.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { findPicture, savePicture } from "../../storage/pictures.ts";
import { findProfile, updateProfile } from "../queries.ts";
import { getPictureType } from "../rules/picture.ts";
import type { ProfileChanges } from "../rules/profile.ts";
import { examplePictureUrl, pictureBody, profileSchema, replyStyleSchema, toWireProfile } from "../wire.ts";

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
  response: { status: 200, data: profileSchema },
  async handle({ env, caller: { actor } }) {
    const user = findOwner(actor);
    const profile = user && (await findProfile(env.DB, user.id));
    return profile ? ok(toWireProfile(profile)) : refuse("FORBIDDEN");
  },
});

const changeBody = z
  .strictObject({
    name: z.string().trim().min(1).max(userNameCharactersMax).optional().describe("The name for people."),
    marketingEmails: z.boolean().optional().describe("Whether you want emails about the product."),
    autoCommit: z.boolean().optional().describe("True for Automatic commits."),
    replyStyle: replyStyleSchema.optional().describe("The style of replies to you."),
  })
  .meta({ examples: [{ name: "Mia Member", replyStyle: "simplified" }] });

/** The changes in a body. */
function toChanges(body: z.infer<typeof changeBody>): ProfileChanges {
  const named = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as ProfileChanges;
}

const change = endpoint({
  method: "PUT",
  path,
  operation: "changeProfile",
  summary: "Change your profile. Omitted fields stay as they are.",
  tag,
  access: "profile.change",
  noun: "none",
  body: { schema: changeBody },
  response: { status: 204 },
  async handle({ env, caller: { user }, body }) {
    if (!user) return refuse("FORBIDDEN");
    return (await updateProfile(env.DB, user.id, toChanges(body))) ? noContent : unchanged(noContent);
  },
});

const completeOnboarding = endpoint({
  method: "POST",
  path: "/api/user/complete-onboarding",
  operation: "completeOnboarding",
  summary: "Complete the onboarding, and set fields of your profile. Omitted fields stay as they are.",
  tag,
  access: "profile.change",
  noun: "none",
  body: { schema: changeBody.nullish() },
  response: { status: 204 },
  async handle({ env, caller: { user }, body }) {
    if (!user) return refuse("FORBIDDEN");
    const changes = { ...toChanges(body ?? {}), onboardingCompleted: true };
    return (await updateProfile(env.DB, user.id, changes)) ? noContent : unchanged(noContent);
  },
});

export const profileRoutes = [read, change, completeOnboarding];

/** The picture of a user, which they set themselves. */
const put = endpoint({
  method: "PUT",
  path: "/api/user/profile-image",
  operation: "putProfileImage",
  summary: "Set your picture. The body is the image: PNG, JPEG or WebP, up to 1 MiB.",
  tag: "Account",
  access: "profile.change",
  noun: "none",
  body: pictureBody,
  response: {
    status: 200,
    data: z
      .object({ imageUrl: z.string().describe("The address of your picture.") })
      .meta({ examples: [{ imageUrl: examplePictureUrl }] }),
  },
  async handle({ env, now, caller, body: bytes }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const mediaType = getPictureType(bytes);
    if (isRefusal(mediaType)) return mediaType;
    const owner = { type: "user", id: caller.user.id } as const;
    return ok({ imageUrl: await savePicture(env, owner, { bytes, mediaType }, now) });
  },
});

export const profileImageRoutes = [put];

/**
 * Handles `GET /pictures/{id}`: logos and pictures of users, which anyone with the URL can read.
 */
export async function sendPicture(env: Pick<Env, "STORE">, id: string): Promise<Response> {
  const picture = await findPicture(env.STORE, id);
  if (!picture) return toRefusalResponse(refuse("NOT_FOUND", "There is no such picture."));
  const headers = new Headers({
    "content-length": String(picture.size),
    // Whatever else the file contains, browsers treat it only as an image.
    "content-security-policy": "default-src 'none'; sandbox",
  });
  picture.writeHttpMetadata(headers);
  return new Response(picture.body, { headers });
}
