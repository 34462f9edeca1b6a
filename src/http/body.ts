// Reads request bodies up to a limit, as JSON, a form or bytes, and validates them with a schema.
import * as z from "zod";
import type { Attachment } from "../chat/rules/message.ts";
import { discardRest } from "../lib/byte-stream.ts";
import { getAnnouncedBytes, readBytes } from "../lib/request-bytes.ts";
import { drainedPlainBytes, drainMs, jsonBodyBytes } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { type AttachmentStore, readForm } from "./form.ts";
import { check } from "./validation.ts";

/** The declaration of a route's body. */
export interface DeclaredBody<Body> {
  schema: z.ZodType<Body>;
  /** Overrides the usual limit. */
  maxBytes?: number;
  /** For a body of bytes instead of JSON: its media types. */
  mediaTypes?: readonly string[];
  /** True if the route reads the bytes itself. `maxBytes` limits what a request may announce. */
  isStreamed?: true;
  /** Also accepts multipart/form-data. */
  form?: {
    /** Parses the text fields of a form into the same body. */
    schema: z.ZodType<Body>;
    /** The text fields that may be repeated. The schema receives each as a list of texts. */
    lists?: readonly string[];
    /** An additional check of a form, before the schema. */
    check(fields: Record<string, string>, attachments: Attachment[]): Refusal | null;
  };
}

export interface ReadBody<Body> {
  body: Body;
  attachments: Attachment[];
  /** Equal for requests with equal bodies. For an idempotency hash. */
  content: unknown;
}

interface ReadOptions {
  store: AttachmentStore;
  /** True if `content` is needed, which requires a hash of every file. */
  isCompared: boolean;
  /** The parameters of the query, which explain a misplaced field. */
  queryNames?: readonly string[];
}

/** True for a body that is multipart/form-data. */
export function isForm({ headers }: Pick<Request, "headers">): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers.get("content-type") ?? "");
}

/** Reads and validates a body. */
export async function readBody<Body>(
  declared: DeclaredBody<Body> | undefined,
  request: Request,
  { store, isCompared, queryNames = [] }: ReadOptions,
): Promise<ReadBody<Body> | Refusal> {
  if (!declared) return await readNoBody(request);
  if (declared.isStreamed) return await readStreamAsBody(declared, request);
  if (declared.mediaTypes) return await readBytesAsBody(declared, request);
  if (!isForm(request)) {
    const read = await readJson(request, declared.maxBytes);
    if (isRefusal(read)) return read;
    const part = { name: "field", elsewhere: queryNames } as const;
    const checked = check(declared.schema, read.json, "VALIDATION_ERROR", part);
    if (isRefusal(checked)) return checked;
    return { body: checked.value, attachments: [], content: checked.value };
  }
  if (!declared.form) return refuse("UNSUPPORTED_MEDIA_TYPE");
  const form = await readForm(request, { store, isHashed: isCompared, lists: declared.form.lists });
  if (isRefusal(form)) return form;
  const { fields, lists, attachments, fileHashes } = form;
  const { schema, check: checkFirst } = declared.form;
  const body = checkFirst(fields, attachments) ?? check(schema, { ...fields, ...lists }, "VALIDATION_ERROR");
  if (isRefusal(body)) {
    await store.drop(attachments);
    return body;
  }
  const files = attachments.map(({ name, mediaType }, place) => ({ name, mediaType, hash: fileHashes[place] }));
  return { body: body.value, attachments, content: { body: body.value, files } };
}

/** Reads the rest of a refused body: a client that is still sending may never read the response. */
export async function readRestOfBody({ body, bodyUsed }: Pick<Request, "body" | "bodyUsed">): Promise<void> {
  if (body && !bodyUsed && !body.locked) await discardRest(body, drainedPlainBytes, { wholeMs: drainMs });
}

async function readStreamAsBody<Body>(
  { schema, maxBytes = jsonBodyBytes }: DeclaredBody<Body>,
  request: Request,
): Promise<ReadBody<Body> | Refusal> {
  if (request.body === null) return refuse("BAD_REQUEST", "The body is missing.");
  if (request.headers.has("content-length") && getAnnouncedBytes(request) > maxBytes) {
    return refuse("PAYLOAD_TOO_LARGE");
  }
  const checked = check(schema, request.body, "VALIDATION_ERROR");
  return isRefusal(checked) ? checked : { body: checked.value, attachments: [], content: null };
}

/**
 * Reads a body of bytes. The route determines their type itself, because the declared media type is
 * not trusted.
 */
async function readBytesAsBody<Body>(
  { schema, maxBytes = jsonBodyBytes }: DeclaredBody<Body>,
  request: Request,
): Promise<ReadBody<Body> | Refusal> {
  const bytes = await readBytes(request, maxBytes);
  const checked = isRefusal(bytes) ? bytes : check(schema, bytes, "VALIDATION_ERROR");
  return isRefusal(checked) ? checked : { body: checked.value, attachments: [], content: null };
}

/** The bodies that a route without a body accepts. */
const nothing = z.strictObject({}).nullish();

/**
 * Reads the body of a route without one. Fields are refused, because they would be ignored
 * silently.
 */
async function readNoBody<Body>(request: Request): Promise<ReadBody<Body> | Refusal> {
  if (request.body && request.method !== "GET" && request.method !== "HEAD") {
    if (isForm(request)) return refuse("UNSUPPORTED_MEDIA_TYPE", "This call takes no body. Leave it out.");
    const read = await readJson(request);
    if (isRefusal(read)) return read;
    const checked = check(nothing, read.json, "VALIDATION_ERROR");
    if (isRefusal(checked)) return checked;
  }
  // A route without a body has the type `undefined` for it.
  return { body: undefined as Body, attachments: [], content: null };
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
    const json: unknown = JSON.parse(text);
    return (mayHoldLostName.test(text) ? refuseLostNames(json) : null) ?? { json };
  } catch {
    return refuseField("", "is not JSON");
  }
}

/** JSON can contain this name, but every check would drop it silently. */
const lostName = "__proto__";
/** Also matches a text that escapes some of its letters. */
const mayHoldLostName = /__proto__|\\u00/;

function refuseLostNames(json: unknown): Refusal | null {
  const left = [{ value: json, path: "" }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, path } = next;
    if (typeof value !== "object" || value === null) continue;
    const at = (name: string) => (path === "" ? name : `${path}.${name}`);
    if (Object.hasOwn(value, lostName)) return refuseField(at(lostName), "is not a name that can be stored");
    for (const [name, inner] of Object.entries(value)) left.push({ value: inner, path: at(name) });
  }
  return null;
}

/** Reads a body as text, up to a limit. */
export async function readText(request: Request, maxBytes: number): Promise<string | Refusal> {
  const bytes = await readBytes(request, maxBytes);
  return isRefusal(bytes) ? bytes : toText(bytes);
}

/** Reads bytes as text. */
export function toText(bytes: Uint8Array): string | Refusal {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return refuseField("", "is not UTF-8 text");
  }
}
