// The newest image on which a sandbox has started. A deployment that was ended before its trial is
// repeated by another one, which has to know that no sandbox was tried. Until another image has
// proved itself, this one is what a rollback needs.
import { type Place, saveObject } from "./saved-clients.ts";
import type { Tools } from "./tools.ts";

const key = "deployment/tried-image";

/** Reads the address of the image; null if none was tried, or if it cannot be read. */
export async function readTriedImage(
  tools: Pick<Tools, "readWrangler">,
  { bucket, jurisdiction }: Pick<Place, "bucket" | "jurisdiction">,
): Promise<string | null> {
  const text = await tools.readWrangler(
    ...["r2", "object", "get", `${bucket}/${key}`, "--remote", "--pipe"],
    ...(jurisdiction === "" ? [] : ["--jurisdiction", jurisdiction]),
  );
  return text?.trim() || null;
}

/** Saves the address of an image on which a sandbox has started. */
export async function saveTriedImage(image: string, place: Place): Promise<void> {
  await saveObject(key, image, place);
}
