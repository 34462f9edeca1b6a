// The Idempotency-Key header: what it names, and what stands for the body that came with it.
import { toBase64Url } from "../base64url.ts";
import { authorOf } from "../rules/access/actor.ts";
import type { Caller } from "../rules/access/caller.ts";
import type { Idempotency } from "../rules/idempotency.ts";
import { type Refusal, refuseField } from "../rules/refusal.ts";

export const idempotencyHeader = "Idempotency-Key";
export const idempotencyHeaderPattern = "^[ -~]{1,255}$";
const printable = new RegExp(idempotencyHeaderPattern);

/** The key that a caller chose, if they chose one. */
export function readIdempotencyKey(headers: Headers): string | null | Refusal {
  const key = headers.get(idempotencyHeader);
  if (key === null || printable.test(key)) return key;
  return refuseField(idempotencyHeader, "must be 1 to 255 printable ASCII characters");
}

/** What makes a later request with the same key a repeat of this one. */
export async function idempotencyOf(
  chosenKey: string,
  { keyId, actor }: Pick<Caller, "keyId" | "actor">,
  { method, url }: Pick<Request, "method" | "url">,
  content: unknown,
): Promise<Idempotency> {
  // A person's keys are theirs in every browser; an agent that acts as them chooses its own.
  const author = authorOf(actor);
  const whose = author.kind === "member" ? author.userId : keyId;
  // A slash at the end leads to the same route.
  const path = new URL(url).pathname.replace(/\/$/, "");
  const [key, bodyHash] = await Promise.all([hash([whose, method, path, chosenKey]), hash(content)]);
  return { key, bodyHash };
}

async function hash(value: unknown): Promise<string> {
  // `undefined`, the body that never came, has no JSON.
  const text = JSON.stringify(value ?? null, sortKeys);
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
