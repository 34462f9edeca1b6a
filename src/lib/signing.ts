// Signed tokens: small JSON values with an expiry, authenticated by an HMAC. A token names its key,
// so that a new key can take over while tokens of the previous one remain valid.
import { fromBase64Url, toBase64Url } from "./base64url.ts";

/** The settings that contain the keys. */
export interface SigningKeys {
  /** Signs and verifies. */
  SIGNING_KEY: string;
  /** The previous key, which only verifies. */
  SIGNING_KEY_PREVIOUS?: string;
}

/** The use of a token. A token that was signed for one purpose does not verify for another. */
export type Purpose =
  | "pass"
  | "auth-token"
  | "artifact-view"
  | "invitation"
  | "given"
  | "oauth-client"
  | "oauth-consent";

interface Signed<Value> {
  value: Value;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Signs a value for one purpose. `expiresAt` is in milliseconds since the epoch. */
export async function sign<Value>(
  { SIGNING_KEY: secret }: SigningKeys,
  purpose: Purpose,
  value: Value,
  expiresAt: number,
): Promise<string> {
  const { id, key } = await getKey(secret, purpose);
  const body = new TextEncoder().encode(JSON.stringify({ value, expiresAt } satisfies Signed<Value>));
  const signature = await crypto.subtle.sign("HMAC", key, body);
  return [id, toBase64Url(body), toBase64Url(new Uint8Array(signature))].join(".");
}

/**
 * Returns the signed value, or null if the token is altered, expired or was signed for another
 * purpose. Compares in constant time.
 */
export async function verify<Value>(
  keys: SigningKeys,
  purpose: Purpose,
  text: string,
  now: number,
): Promise<Value | null> {
  const [id = "", body = "", signature = "", ...rest] = text.split(".");
  if (rest.length > 0) return null;
  try {
    const key = await keyNamed(keys, purpose, id);
    if (key === null) return null;
    const bytes = fromBase64Url(body);
    const isOurs = await crypto.subtle.verify("HMAC", key, fromBase64Url(signature), bytes);
    if (!isOurs) return null;
    // The signature proves that `sign` wrote this JSON.
    const signed = JSON.parse(new TextDecoder().decode(bytes)) as Signed<Value>;
    return signed.expiresAt > now ? signed.value : null;
  } catch {
    return null;
  }
}

interface NamedKey {
  id: string;
  key: CryptoKey;
}

/** The key with this id. */
async function keyNamed(keys: SigningKeys, purpose: Purpose, id: string): Promise<CryptoKey | null> {
  const { SIGNING_KEY: current, SIGNING_KEY_PREVIOUS: previous } = keys;
  for (const secret of previous ? [current, previous] : [current]) {
    const named = await getKey(secret, purpose);
    if (named.id === id) return named.key;
  }
  return null;
}

/** Imported keys. Importing a key takes a large part of the time of a preview request. */
const imported = new Map<string, NamedKey>();
const idCharacters = 8;

/** A key and its id. The id is derived from the key, so that nobody has to name keys. */
async function getKey(secret: string, purpose: Purpose): Promise<NamedKey> {
  // With an empty secret, the key could be guessed.
  if (!secret) throw new Error("SIGNING_KEY is not set");
  const material = `${purpose}:${secret}`;
  const known = imported.get(material);
  if (known) return known;
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(material), algorithm, false, ["sign", "verify"]);
  const hash = await crypto.subtle.digest("SHA-256", encoder.encode(`key-id:${secret}`));
  const named = { id: toBase64Url(new Uint8Array(hash)).slice(0, idCharacters), key };
  imported.set(material, named);
  return named;
}
