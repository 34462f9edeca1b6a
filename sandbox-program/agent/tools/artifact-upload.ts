// Uploads an artifact to the service. A file is streamed, so that it is never whole in memory.
import { type ArtifactNaming, isTextKind } from "../../../src/artifact/rules/artifact.ts";
import type { StoredArtifact } from "../../../src/sandbox-protocol/protocol.ts";
import { fetchFromService } from "../../http/service-fetch.ts";
import { toFields } from "../../http/unknown-fields.ts";
import { type OutputSource, toRequestBody } from "../../transcript/long-output.ts";

export interface ArtifactUpload {
  naming: ArtifactNaming;
  content: OutputSource;
}

/** The endpoint for artifacts, and the turn's token. */
export interface ArtifactStorage {
  url: string;
  token: string;
}

const attempts = 2;
const textTimeoutMs = 60_000;
const fileTimeoutMs = 10 * 60_000;

/** Uploads an artifact. Throws an error with the reason if it could not be stored. */
export async function uploadArtifact(
  { url, token }: ArtifactStorage,
  { naming, content }: ArtifactUpload,
  stopped: AbortSignal,
): Promise<StoredArtifact> {
  // A retry after a lost response carries the same id and makes no second version.
  const query = new URLSearchParams({ write: crypto.randomUUID(), ...naming });
  const timeoutMs = isTextKind(naming.kind) ? textTimeoutMs : fileTimeoutMs;
  const why = "The artifact was not written:";
  for (let attempt = 1; ; attempt++) {
    const answer = await fetchFromService(`${url}?${query}`, {
      method: "PUT",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/octet-stream",
        ...(Buffer.isBuffer(content) ? {} : { "content-length": String(content.bytes) }),
      },
      body: toRequestBody(content),
      duplex: "half",
      signal: AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]),
    }).catch(() => null);
    if (answer?.ok) return readStoredArtifact(await answer.json().catch(() => null));
    const isLast = attempt === attempts || stopped.aborted;
    if (answer && (answer.status < 500 || isLast)) throw new Error(`${why} ${await readReason(answer)}`);
    await answer?.body?.cancel();
    if (isLast) throw new Error(`${why} the service could not be reached.`);
  }
}

async function readReason(answer: Response): Promise<string> {
  const responseText = await answer.text().catch(() => "");
  return responseText === "" || answer.status >= 500 ? `the service answered ${answer.status}.` : responseText;
}

function readStoredArtifact(answer: unknown): StoredArtifact {
  const { artifactId, version } = toFields(answer);
  if (typeof artifactId !== "string" || typeof version !== "number")
    throw new Error("The service did not say which artifact it wrote.");
  return { artifactId, version };
}
