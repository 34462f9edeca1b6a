// The Idempotency-Key header: reads it, and derives the stored key and the hash of the body.

import { getAuthor } from "../access/rules/actor.ts";
import type { Caller } from "../access/rules/caller.ts";
import { toBase64Url } from "../lib/base64url.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { type Refusal, refuseField } from "../rules/refusal.ts";

export const idempotencyHeader = "Idempotency-Key";
export const idempotencyHeaderPattern = "^[ -~]{1,255}$";
const printable = new RegExp(idempotencyHeaderPattern);

/** Reads the caller's key; null without one. */
export function readIdempotencyKey(headers: Headers): string | null | Refusal {
  const key = headers.get(idempotencyHeader);
  if (key === null || printable.test(key)) return key;
  return refuseField(idempotencyHeader, "must be 1 to 255 printable ASCII characters");
}

/** The stored key of a request: its caller, its route and the key that the caller chose. */
export async function createRepeatKey(
  chosenKey: string,
  { keyId, actor }: Pick<Caller, "keyId" | "actor">,
  { method, url }: Pick<Request, "method" | "url">,
): Promise<string> {
  // A user's keys are shared by all their browsers and API keys. An agent that acts as the user has
  // its own.
  const author = getAuthor(actor);
  const whose = author.kind === "member" ? author.userId : keyId;
  // A path with a trailing slash belongs to the same route.
  const path = new URL(url).pathname.replace(/\/$/, "");
  return await hash([whose, method, path, chosenKey]);
}

/** The values by which a later request is recognized as a repeat. */
export const createIdempotency = async (key: string, content: unknown): Promise<Idempotency> => ({
  key,
  bodyHash: await hash(content),
});

async function hash(value: unknown): Promise<string> {
  // A missing body is `undefined`, which has no JSON form.
  const text = JSON.stringify(value ?? null, sortKeys);
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
