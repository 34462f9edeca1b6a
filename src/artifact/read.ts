// Reads an artifact: its row, and its text or the URL of its file. No sandbox is needed.
import type { Env } from "../env.ts";
import { createArtifactViewUrl } from "../preview/host/address.ts";
import { artifactUrlLifetimeMs, artifactViewLifetimeMs } from "../rules/limits.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { findPresignedUrl } from "../storage/presign.ts";
import { readBodyText } from "./bodies.ts";
import { findArtifact } from "./queries.ts";
import { isTextKind } from "./rules/artifact.ts";
import type { ReadArtifact, ViewUrl } from "./wire/artifact.ts";

const noArtifact = refuse("NOT_FOUND", "There is no such artifact here.");
const reads = 3;

/**
 * Reads an artifact of an owner. NOT_FOUND if it does not exist; SERVICE_UNAVAILABLE for media if
 * S3 is not configured.
 */
export async function readArtifact(env: Env, ownerId: string, id: string): Promise<ReadArtifact | Refusal> {
  for (let read = 0; read < reads; read++) {
    const row = await findArtifact(env.DB, ownerId, id);
    if (!row) return noArtifact;
    if (!isTextKind(row.kind)) {
      const url = await findPresignedUrl(env, row.bodyKey, artifactUrlLifetimeMs);
      if (url !== null) return { row, body: null, url };
      return refuse("SERVICE_UNAVAILABLE", "Images and videos are not served: S3_ENDPOINT and its keys are not set.");
    }
    const body = await readBodyText(env.STORE, row);
    // If there is no body, the artifact was rewritten after its row was read.
    if (body !== null) return { row, body, url: null };
  }
  return refuse("SERVICE_UNAVAILABLE", "The artifact is being rewritten. Read it again.");
}

/** Creates the URL at which the reader's page can show an artifact. */
export async function createView(env: Env, { row }: ReadArtifact, now: number): Promise<ViewUrl> {
  const expiresAt = now + artifactViewLifetimeMs;
  const view = { ownerId: row.ownerId, artifactId: row.id };
  return { url: await createArtifactViewUrl(env, view, expiresAt), expiresAt };
}
