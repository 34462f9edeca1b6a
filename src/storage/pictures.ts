// Pictures in R2: logos of workspaces and pictures of users. Each upload gets a new address that cannot be guessed.

import type { PictureType } from "../account/rules/picture.ts";
import { newSecret } from "../lib/ids.ts";
import { unconfirmedObjectMs } from "../rules/limits.ts";
import { noteUnconfirmed } from "./bodies-unconfirmed-objects.ts";
import { namePicture, type PictureOwner, type StoredPicture } from "./pictures-pictures.ts";

/** The prefix of the paths of pictures, and of their keys in R2. */
const folder = "pictures/";

/** Stores the picture of an owner, replaces an earlier one, and returns its address. */
export async function putPicture(
  { DB, STORE, PUBLIC_URL }: { DB: D1Database; STORE: R2Bucket; PUBLIC_URL: string },
  owner: PictureOwner,
  { bytes, mediaType }: { bytes: Uint8Array; mediaType: PictureType },
  now: number,
): Promise<string> {
  const key = folder + newSecret();
  const picture: StoredPicture = { key, url: `${PUBLIC_URL}/${key}` };
  await noteUnconfirmed(DB, [key], now + unconfirmedObjectMs);
  await STORE.put(key, bytes, { httpMetadata: { contentType: mediaType } });
  await namePicture(DB, owner, { picture, addressOfFolder: `${PUBLIC_URL}/${folder}`, now });
  return picture.url;
}

/** Removes the picture of an owner. Idempotent. */
export async function dropPicture(
  { DB, PUBLIC_URL }: { DB: D1Database; PUBLIC_URL: string },
  owner: PictureOwner,
  now: number,
): Promise<void> {
  await namePicture(DB, owner, { picture: null, addressOfFolder: `${PUBLIC_URL}/${folder}`, now });
}

/** Reads a picture by the last part of its address; null if there is none. */
export async function getPicture(store: R2Bucket, id: string): Promise<R2ObjectBody | null> {
  return await store.get(folder + id);
}
