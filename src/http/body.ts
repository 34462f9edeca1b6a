// Request bodies: read up to a limit, as JSON or as a form, and never trusted before a schema has seen them.
import * as z from "zod";
import { bytesOf, type Patience, refusalBehind } from "../bytes/byte-stream.ts";
import { type BodyMemory, bodyMemory, holdBytes, memoryIsFull } from "../bytes/held-bytes.ts";
import type { Attachment } from "../rules/chat/message.ts";
import { bodyStallMs, bodyWaitMs, jsonBodyBytes } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { type AttachmentStore, readForm } from "./form.ts";
import { check } from "./validation.ts";

/** What a route takes as its body. */
export interface DeclaredBody<Body> {
  schema: z.ZodType<Body>;
  /** Another limit than the usual one. */
  maxBytes?: number;
  /** The body is bytes of one of these media types, in place of JSON. */
  mediaTypes?: readonly string[];
  /** Lets the route take multipart/form-data too. */
  form?: {
    /** Reads the same body from a form's text fields. */
    schema: z.ZodType<Body>;
    /** What a form has to be besides; comes before the schema. */
    check(fields: Record<string, string>, attachments: Attachment[]): Refusal | null;
  };
}

export interface ReadBody<Body> {
  body: Body;
  attachments: Attachment[];
  /** Stands for all that came: what two requests with the same body have in common. */
  content: unknown;
}

interface ReadOptions {
  store: AttachmentStore;
  /** Whether `content` will be looked at, which takes a hash of every file. */
  isCompared: boolean;
}

/** True for a body that is multipart/form-data. */
export function isForm({ headers }: Pick<Request, "headers">): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers.get("content-type") ?? "");
}

/** Reads and checks a body. */
export async function readBody<Body>(
  declared: DeclaredBody<Body> | undefined,
  request: Request,
  { store, isCompared }: ReadOptions,
): Promise<ReadBody<Body> | Refusal> {
  if (!declared) return await readNoBody(request);
  if (declared.mediaTypes) return await readBytesAsBody(declared, request);
  if (!isForm(request)) {
    const read = await readJson(request, declared.maxBytes);
    if (isRefusal(read)) return read;
    const checked = check(declared.schema, read.json, "VALIDATION_ERROR");
    if (isRefusal(checked)) return checked;
    return { body: checked.value, attachments: [], content: checked.value };
  }
  if (!declared.form) return refuse("UNSUPPORTED_MEDIA_TYPE");
  const form = await readForm(request, store, isCompared);
  if (isRefusal(form)) return form;
  const { fields, attachments, fileHashes } = form;
  const body = checkForm(declared.form, fields, attachments);
  if (isRefusal(body)) {
    await store.drop(attachments);
    return body;
  }
  const files = attachments.map(({ name, mediaType }, place) => ({ name, mediaType, hash: fileHashes[place] }));
  return { body: body.value, attachments, content: { body: body.value, files } };
}

/** Reads a body that is no JSON. The route judges what it is by the bytes, whatever media type the sender names. */
async function readBytesAsBody<Body>(
  { schema, maxBytes = jsonBodyBytes }: DeclaredBody<Body>,
  request: Request,
): Promise<ReadBody<Body> | Refusal> {
  const bytes = await readBytes(request, maxBytes);
  const checked = isRefusal(bytes) ? bytes : check(schema, bytes, "VALIDATION_ERROR");
  return isRefusal(checked) ? checked : { body: checked.value, attachments: [], content: null };
}

/** What may come to a route that has no body. */
const nothing = z.strictObject({}).nullish();

/** Reads the body of a route that has none. A field that somebody sends all the same would be ignored without a word. */
async function readNoBody<Body>(request: Request): Promise<ReadBody<Body> | Refusal> {
  if (request.body && request.method !== "GET" && request.method !== "HEAD") {
    if (isForm(request)) return refuse("UNSUPPORTED_MEDIA_TYPE", "This takes no body.");
    const read = await readJson(request);
    if (isRefusal(read)) return read;
    const checked = check(nothing, read.json, "VALIDATION_ERROR");
    if (isRefusal(checked)) return checked;
  }
  // A route without a body has the type `undefined` for it.
  return { body: undefined as Body, attachments: [], content: null };
}

function checkForm<Body>(
  declared: NonNullable<DeclaredBody<Body>["form"]>,
  fields: Record<string, string>,
  attachments: Attachment[],
): { value: Body } | Refusal {
  return declared.check(fields, attachments) ?? check(declared.schema, fields, "VALIDATION_ERROR");
}

/** Reads a JSON body. An empty one reads as undefined. */
export async function readJson(
  request: Request,
  maxBytes: number = jsonBodyBytes,
): Promise<{ json: unknown } | Refusal> {
  const text = await readText(request, maxBytes);
  return typeof text === "string" ? parseJson(text) : text;
}

/** Reads text as JSON. An empty one reads as undefined. */
export function parseJson(text: string): { json: unknown } | Refusal {
  if (text.trim() === "") return { json: undefined };
  try {
    return { json: JSON.parse(text) };
  } catch {
    return refuseField("", "is not JSON");
  }
}

/** A body this many times too large is not even read to its end. */
const drainedTimes = 4;

/** Reads a body as text, up to a limit. */
export async function readText(request: Request, maxBytes: number): Promise<string | Refusal> {
  const bytes = await readBytes(request, maxBytes);
  return isRefusal(bytes) ? bytes : asText(bytes);
}

interface BytesOptions extends Patience {
  memory?: BodyMemory;
}

/**
 * Reads a body, up to a limit. Its memory grows with the bytes that have come, whatever length the sender announces, and is taken until
 * `releaseBytes`.
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  { memory = bodyMemory, wholeMs = bodyWaitMs, stallMs = bodyStallMs }: BytesOptions = {},
): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  const held = holdBytes(request, maxBytes, memory);
  let bytes = 0;
  let refusal: Refusal | null = null;
  try {
    for await (const chunk of request.body ? bytesOf(request.body, { wholeMs, stallMs }) : []) {
      bytes += chunk.length;
      if (bytes > maxBytes) refusal = refuse("PAYLOAD_TOO_LARGE");
      // Read on without keeping it, for a client that is still sending when the answer comes may never see it.
      if (bytes > maxBytes * drainedTimes) break;
      if (refusal === null && !held.add(chunk)) refusal = memoryIsFull;
    }
  } catch (error) {
    refusal = refusalBehind(error) ?? refuseField("", "broke off before its end");
  }
  if (refusal === null) return held.bytes();
  held.drop();
  return refusal;
}

/** Reads bytes as text. */
export function asText(bytes: Uint8Array): string | Refusal {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return refuseField("", "is not UTF-8 text");
  }
}
