// Writes an artifact: stores its body, then writes its row, then deletes the body that the row
// referred to before.
import { createId } from "../lib/ids.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { deleteObjects, type StoredBody } from "../storage/bodies.ts";
import { saveText } from "./bodies.ts";
import { type ArtifactRow, type ArtifactWrite, saveArtifact } from "./queries.ts";
import { type ArtifactNaming, artifactsAreFull, parseArtifactVersion } from "./rules/artifact.ts";

interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

type Origin = Pick<ArtifactWrite, "owner" | "writeId" | "prototypeId">;

/**
 * Writes a document or a mockup, unless it exceeds the workspace's quota. Null if the owner is
 * gone, or if a copy may not overwrite the artifact with this slug.
 */
export async function writeTextArtifact(
  env: Storage,
  origin: Origin,
  naming: ArtifactNaming,
  text: string,
): Promise<ArtifactRow | Refusal | null> {
  const body = await saveText(env, origin.owner, text);
  if (isRefusal(body)) return body;
  const declared = parseArtifactVersion(naming.kind, text);
  return await recordArtifact(env, { ...origin, ...naming, ...body, declared, mediaType: null });
}

/**
 * Writes the row of a stored body. Deletes the body that no row refers to afterwards: the replaced
 * one, or the new one on failure.
 */
export async function recordArtifact(
  env: Storage,
  write: Omit<ArtifactWrite, "id"> & StoredBody,
): Promise<ArtifactRow | Refusal | null> {
  const written = await saveArtifact(env.DB, { ...write, id: createId() }, Date.now());
  const isWritten = written !== null && written !== "full";
  const dropped = isWritten ? written.dropped : write.bodyKey;
  await deleteObjects(env, dropped === null ? [] : [dropped]);
  if (written === "full") return artifactsAreFull;
  return written?.row ?? null;
}
