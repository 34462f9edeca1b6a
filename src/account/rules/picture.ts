// A picture: the logo of a workspace, or the picture of a user. Its type is determined by its first
// bytes, not by the type that the sender declares.
import { getMediaType } from "../../artifact/rules/media-type.ts";
import { isRefusal, type Refusal, refuseField } from "../../rules/refusal.ts";

export const pictureTypes = ["image/png", "image/jpeg", "image/webp"] as const;
export type PictureType = (typeof pictureTypes)[number];

/** The media type of a picture. */
export function getPictureType(bytes: Uint8Array): PictureType | Refusal {
  const mediaType = getMediaType("image", bytes);
  const known = isRefusal(mediaType) ? undefined : pictureTypes.find((one) => one === mediaType);
  return known ?? refuseField("", "must be a PNG, JPEG or WebP image");
}
