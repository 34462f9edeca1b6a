// The logo of a workspace: an admin sets or deletes it.
import * as z from "zod";
import { getPictureType } from "../../account/rules/picture.ts";
import { examplePictureUrl, pictureBody } from "../../account/wire.ts";
import { endpoint } from "../../http/endpoint.ts";
import { noContent, ok } from "../../http/response.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { deletePicture, savePicture } from "../../storage/pictures.ts";

const path = "/api/organizations/{workspaceId}/logo";
const tag = "Workspaces";

const put = endpoint({
  method: "PUT",
  path,
  operation: "putWorkspaceLogo",
  summary: "Set the logo of a workspace. The body is the image: PNG, JPEG or WebP, up to 1 MiB. Owner and admins.",
  tag,
  access: "workspace.logo",
  noun: "workspace",
  body: pictureBody,
  response: {
    status: 200,
    data: z
      .object({ logo: z.string().describe("The address of the logo.") })
      .meta({ examples: [{ logo: examplePictureUrl }] }),
  },
  async handle({ env, now, found, body: bytes }) {
    const mediaType = getPictureType(bytes);
    if (isRefusal(mediaType)) return mediaType;
    const owner = { type: "workspace", id: found.workspace.id } as const;
    return ok({ logo: await savePicture(env, owner, { bytes, mediaType }, now) });
  },
});

const remove = endpoint({
  method: "DELETE",
  path,
  operation: "deleteWorkspaceLogo",
  summary: "Delete the logo of a workspace. Owner and admins.",
  tag,
  access: "workspace.logo",
  noun: "workspace",
  response: { status: 204 },
  async handle({ env, now, found }) {
    await deletePicture(env, { type: "workspace", id: found.workspace.id }, now);
    return noContent;
  },
});

export const logoRoutes = [put, remove];
