// Turns the result of a route into an HTTP response. Only this file knows the envelope and the
// status of a refusal.

import type { Env } from "../env.ts";
import { toBase64Url } from "../lib/base64url.ts";
import { type Refusal, refusals, refuse } from "../rules/refusal.ts";

/** The result of a route that does not refuse. The audit log leaves out what changed nothing. */
export type RouteResult = Result & { isUnchanged?: true };

type Result =
  | { status: 200 | 201 | 202; data: unknown; meta?: object }
  /** `data` with one field that is streamed as JSON text. */
  | { status: 200; streamed: { field: string; json: ReadableStream<Uint8Array>; beside: object } }
  /** `data` as the JSON text of an object. */
  | { status: 200; json: string }
  /** Server-sent events. */
  | { status: 200; events: ReadableStream<Uint8Array> }
  /** A document without the envelope. */
  | { status: 200; bare: unknown }
  /** Bytes other than JSON. */
  | { status: 200; bytes: ReadableStream<Uint8Array>; headers: Headers }
  | { status: 204; headers?: Record<string, string> }
  /** A WebSocket. The caller does not see `data`. */
  | { status: 101; data: unknown; socket: Response }
  /** Redirects a browser. */
  | { status: 302; location: string; cookies: string[] };

export const ok = (data: unknown): RouteResult => ({ status: 200, data });
export const created = (data: unknown): RouteResult => ({ status: 201, data });
export const accepted = (data: unknown): RouteResult => ({ status: 202, data });
export const noContent: RouteResult = { status: 204 };
/** Marks the result of a call that asked for a change, and found everything as it asks for. */
export const unchanged = (result: RouteResult): RouteResult => ({ ...result, isUnchanged: true });
export const redirect = (location: string, cookies: string[]): RouteResult => ({ status: 302, location, cookies });
export const bare = (document: unknown): RouteResult => ({ status: 200, bare: document });
export const eventStreamType = "text/event-stream";
export const events = (stream: ReadableStream<Uint8Array>): RouteResult => ({ status: 200, events: stream });
/** `beside` contains the other fields of the response. */
export const streamed = (field: string, json: ReadableStream<Uint8Array>, beside: object = {}): RouteResult => ({
  status: 200,
  streamed: { field, json, beside },
});

/** An object that is JSON text already, and more fields before its own. */
export function fromJson(json: string, fields: object = {}): RouteResult {
  const first = JSON.stringify(fields).slice(1, -1);
  return { status: 200, json: first === "" ? json : `{${first},${json.slice(1)}` };
}

/** A user's file as a download, so that no browser shows its content as a page of the service. */
export function download(bytes: ReadableStream<Uint8Array>, headers: Headers): RouteResult {
  headers.set("x-content-type-options", "nosniff");
  headers.set("content-security-policy", "default-src 'none'; sandbox");
  return { status: 200, bytes, headers };
}

/** A stored file as a download, with the media type that it was stored with. */
export function toDownload(file: R2ObjectBody): RouteResult {
  const headers = new Headers();
  file.writeHttpMetadata(headers);
  return download(file.body, headers);
}

/** A text as a download. */
export function toTextDownload(text: ReadableStream<Uint8Array>): RouteResult {
  return download(text, new Headers({ "content-type": "text/plain; charset=utf-8" }));
}

/** A page of a list, with its pagination. */
export function paged(
  items: unknown[],
  { page, pageSize, total }: { page: number; pageSize: number; total: number },
): RouteResult {
  const totalPages = Math.ceil(total / pageSize);
  return listed(items, { pagination: { page, totalPages, pageSize, total, hasMore: page < totalPages } });
}

/** A list with metadata about it. */
export const listed = (items: unknown[], meta: object): RouteResult => ({ status: 200, data: items, meta });

const jsonHeaders = { "content-type": "application/json" };
// Without this header, a buffering proxy would delay the events.
const eventStreamHeaders = { "content-type": eventStreamType, "x-accel-buffering": "no" };

/** Builds the response for the result of a route. */
export function toResponse(result: RouteResult): Response {
  if (result.status === 101) return result.socket;
  if (result.status === 204) return new Response(null, result);
  if (result.status === 302) return lead(result.location, result.cookies);
  if ("bytes" in result) return new Response(result.bytes, result);
  if ("bare" in result) return Response.json(result.bare);
  if ("events" in result) return new Response(result.events, { headers: eventStreamHeaders });
  if ("json" in result) return new Response(`{"data":${result.json}}`, { headers: jsonHeaders });
  if ("streamed" in result) return stream(result.streamed);
  return Response.json({ data: result.data, meta: result.meta }, { status: result.status });
}

/**
 * Adds an ETag to a successful response. A request whose `If-None-Match` has it gets 304 without
 * the body.
 */
export async function withETag(response: Response, { headers }: Request): Promise<Response> {
  const bytes = await response.arrayBuffer();
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  const tag = `"${toBase64Url(new Uint8Array(hash))}"`;
  if (hasTag(headers, tag)) return new Response(null, { status: 304, headers: { etag: tag } });
  const tagged = new Response(bytes, response);
  tagged.headers.set("etag", tag);
  return tagged;
}

/** True if the client has the version with this tag. */
export function hasTag(headers: Pick<Headers, "get">, tag: string): boolean {
  // A proxy that compresses the body makes the tag weak, so `W/` is ignored.
  const known = (headers.get("if-none-match") ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return known.includes(tag) || known.includes("*");
}

/** Builds the response for a refusal: `{ error, code, details? }` (Part 1, "Errors"). */
export function toRefusalResponse({ code, message, details, retryAfterSeconds }: Refusal): Response {
  const body = { error: message, code, ...(details === undefined ? {} : { details }) };
  const headers = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return Response.json(body, { status: refusals[code].status, headers });
}

/** Refuses a method that the path does not have, and lists its methods in `Allow`. */
export function toMethodNotAllowed(methods: string[]): Response {
  const response = toRefusalResponse(refuse("METHOD_NOT_ALLOWED"));
  response.headers.set("allow", methods.join(", "));
  return response;
}

function lead(location: string, cookies: string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}

interface Streamed {
  field: string;
  json: ReadableStream<Uint8Array>;
  beside: object;
}

function stream({ field, json, beside }: Streamed): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const others = Object.entries(beside).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`);
  void enclose(`{"data":{${others.join("")}${JSON.stringify(field)}:`, json, "}}", writable);
  return new Response(readable, { headers: jsonHeaders });
}

async function enclose(
  before: string,
  json: ReadableStream<Uint8Array>,
  after: string,
  out: WritableStream<Uint8Array>,
): Promise<void> {
  const write = async (text: string) => {
    const writer = out.getWriter();
    await writer.write(new TextEncoder().encode(text));
    writer.releaseLock();
  };
  try {
    await write(before);
    await json.pipeTo(out, { preventClose: true });
    await write(after);
    await out.close();
  } catch (error) {
    // The client disconnected or the source failed. The abort keeps the document from looking
    // complete.
    await out.abort(error).catch(() => undefined);
  }
}

const aYear = 365 * 24 * 60 * 60;

/**
 * Adds Strict-Transport-Security to a response: browsers must use TLS on all hosts of the service.
 * Does nothing if the service has no TLS, as on one machine.
 */
export function addTlsHeader(headers: Headers, { PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): void {
  if (PUBLIC_URL.startsWith("https:")) headers.set("strict-transport-security", `max-age=${aYear}`);
}

/**
 * True if a browser that opens an address should be shown a page. A client with a key gets the
 * API's response.
 */
export function isPageRequest({ method, headers }: Request): boolean {
  if (method !== "GET" || headers.has("authorization")) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null && mode !== "navigate" && !headers.has(partHeader)) return false;
  return headers.get("accept")?.includes("text/html") === true;
}

/** The headers that `isPageRequest` reads: the response depends on them. */
export const pageRequestHeaders = "Accept, Authorization, Sec-Fetch-Mode";

/** Sent by a page that requests itself again. */
const partHeader = "x-switchyard-page";
