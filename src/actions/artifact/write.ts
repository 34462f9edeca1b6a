// Writing an artifact: its body goes into storage, then its row says so, then what the row named before goes.
import { newId } from "../../ids.ts";
import { type ArtifactNaming, versionDeclared } from "../../rules/artifact/artifact.ts";
import { dropObjects, type StoredBody, storeText } from "../../storage/artifact-bodies.ts";
import { type ArtifactRow, type ArtifactWrite, putArtifact } from "../../storage/queries/artifacts.ts";

interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

type Origin = Pick<ArtifactWrite, "sessionId" | "writeId" | "prototypeId">;

/** Writes a document or a mockup. Null when its session is gone, or its slug is taken by what a copy may not rewrite. */
export async function writeTextArtifact(
  env: Storage,
  origin: Origin,
  naming: ArtifactNaming,
  text: string,
): Promise<ArtifactRow | null> {
  const body = await storeText(env, origin.sessionId, text);
  const declared = versionDeclared(naming.kind, text);
  return await noteArtifact(env, { ...origin, ...naming, ...body, declared, mediaType: null });
}

/** Gives a stored body its row. Whatever comes of it, no body is left that no row names. */
export async function noteArtifact(
  env: Storage,
  write: Omit<ArtifactWrite, "id"> & StoredBody,
): Promise<ArtifactRow | null> {
  const written = await putArtifact(env.DB, { ...write, id: newId() }, Date.now());
  const dropped = written === null ? write.bodyKey : written.dropped;
  await dropObjects(env, dropped === null ? [] : [dropped]);
  return written?.row ?? null;
}
