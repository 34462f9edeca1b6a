// The picture of a user, which they set themselves.
import * as z from "zod";
import { ok } from "../../http/answer.ts";
import { endpoint } from "../../http/endpoint.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { putPicture } from "../../storage/pictures.ts";
import { pictureTypeOf } from "../rules/picture.ts";
import { examplePictureUrl, pictureBody } from "../wire-picture.ts";

const put = endpoint({
  method: "PUT",
  path: "/api/user/profile-image",
  operation: "putProfileImage",
  summary: "Set your picture. The body is the image: PNG, JPEG or WebP, up to 1 MiB.",
  tag: "Account",
  access: "profile.change",
  noun: "none",
  body: pictureBody,
  answers: {
    status: 200,
    data: z
      .object({ imageUrl: z.string().describe("The address of your picture, another one for each image.") })
      .meta({ examples: [{ imageUrl: examplePictureUrl }] }),
  },
  async handle({ env, now, caller, body: bytes }) {
    if (!caller.user) return refuse("FORBIDDEN");
    const mediaType = pictureTypeOf(bytes);
    if (isRefusal(mediaType)) return mediaType;
    const owner = { type: "user", id: caller.user.id } as const;
    return ok({ imageUrl: await putPicture(env, owner, { bytes, mediaType }, now) });
  },
});

export const profileImageRoutes = [put];
