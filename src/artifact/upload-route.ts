// Stores an artifact that a sandbox uploads during its turn. The query contains its slug, title and
// kind; the body is its content.

import type { TurnOwner } from "../chat/rules/chat.ts";
import type { Env } from "../env.ts";
import { bodyMemory, createGrowingBytes, memoryIsFull } from "../lib/byte-budget.ts";
import {
  createStreamError,
  discardRest,
  findStreamRefusal,
  readBodyBytes,
  withCheck,
  withStart,
} from "../lib/byte-stream.ts";
import { isUuid } from "../lib/ids.ts";
import { getAnnouncedBytes } from "../lib/request-bytes.ts";
import { isRefusal, type Refusal, refusals, refuse } from "../rules/refusal.ts";
import { getLiveTurn, type TurnToken } from "../sandbox/token.ts";
import { deleteObjects, type Upload } from "../storage/bodies.ts";
import { saveFile, saveText } from "./bodies.ts";
import {
  type ArtifactNaming,
  checkBodySize,
  getMaxBytes,
  isTextKind,
  type MediaKind,
  parseArtifactVersion,
  readNaming,
} from "./rules/artifact.ts";
import { getMediaType, sniffedBytes } from "./rules/media-type.ts";
import { recordArtifact } from "./write.ts";

/** Handles `PUT /internal/artifacts`. */
export async function receiveArtifact(request: Request, env: Env): Promise<Response> {
  const turn = await getLiveTurn(request, env, "artifact");
  if (turn instanceof Response) return turn;
  try {
    const response = await storeOfTurn(request, env, turn);
    if (!response.ok) await discardBody(request);
    return response;
  } catch (error) {
    await discardBody(request);
    throw error;
  }
}

/** A client that is still sending when the connection closes would not read the response. */
async function discardBody({ body }: Request): Promise<void> {
  if (body) await discardRest(body, getMaxBytes("video"));
}

async function storeOfTurn(request: Request, env: Env, turn: TurnToken): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const writeId = query.get("write") ?? "";
  const naming = readNaming({ slug: query.get("slug"), title: query.get("title"), kind: query.get("kind") });
  const stored =
    isRefusal(naming) || !isUuid(writeId) || !request.body
      ? refuse("BAD_REQUEST", isRefusal(naming) ? naming.message : "A write has an id and a body.")
      : await store(env, turn.owner, naming, {
          bytes: readBodyBytes(request.body),
          mostBytes: getAnnouncedBytes(request),
        });
  if (isRefusal(stored)) return new Response(stored.message, { status: refusals[stored.code].status });
  // The turn may have ended during the upload.
  const isOver = await getLiveTurn(request, env, "artifact");
  if (isOver instanceof Response) {
    await deleteObjects(env, [stored.bodyKey]);
    return isOver;
  }
  const row = await recordArtifact(env, { ...stored, owner: turn.owner, writeId, prototypeId: null });
  if (!row) return new Response("the owner of this turn is gone", { status: 403 });
  if (isRefusal(row)) return new Response(row.message, { status: refusals[row.code].status });
  return Response.json({ artifactId: row.id, version: row.version });
}

type Sent = Pick<Upload, "bytes" | "mostBytes">;

/** Streams a body into storage. Returns the columns of the artifact's row. */
async function store(env: Env, owner: TurnOwner, naming: ArtifactNaming, sent: Sent) {
  const bytes = withCheck(sent.bytes, (passed) => checkBodySize(naming.kind, passed));
  const { kind } = naming;
  const mostBytes = Math.min(sent.mostBytes, getMaxBytes(kind));
  try {
    return isTextKind(kind)
      ? await saveDocument(env, owner, naming, bytes)
      : await saveMedia(env, owner, { ...naming, kind }, { bytes, mostBytes });
  } catch (error) {
    const refusal = findStreamRefusal(error);
    if (!refusal) throw error;
    return refusal;
  }
}

async function saveDocument(env: Env, owner: TurnOwner, naming: ArtifactNaming, bytes: AsyncIterable<Uint8Array>) {
  const held = createGrowingBytes(getMaxBytes(naming.kind), bodyMemory);
  try {
    for await (const piece of bytes) if (!held.add(piece)) throw createStreamError(memoryIsFull);
    const text = toText(held.bytes());
    const declared = parseArtifactVersion(naming.kind, text);
    const body = await saveText(env, owner, text);
    return isRefusal(body) ? body : { ...naming, ...body, declared, mediaType: null };
  } finally {
    held.drop();
  }
}

async function saveMedia(
  env: Env,
  owner: TurnOwner,
  naming: ArtifactNaming & { kind: MediaKind },
  { bytes, mostBytes }: Sent,
) {
  const { start, all, close } = await withStart(bytes, sniffedBytes);
  try {
    const mediaType: string | Refusal = getMediaType(naming.kind, start);
    if (isRefusal(mediaType)) throw createStreamError(mediaType);
    const body = await saveFile(env, { owner, slug: naming.slug, mediaType }, { bytes: all, mostBytes });
    return isRefusal(body) ? body : { ...naming, ...body, declared: null, mediaType };
  } finally {
    await close();
  }
}

function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw createStreamError(refuse("BAD_REQUEST", "The content is not text in UTF-8."));
  }
}
