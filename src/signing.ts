// Signed tokens: small JSON values with an expiry, authenticated by an HMAC.
import { fromBase64Url, toBase64Url } from "./base64url.ts";

/** The use of a token. A token that was signed for one purpose does not verify for another. */
export type Purpose = "pass" | "auth-token";

interface Signed<Value> {
  value: Value;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Signs a value for one purpose. `expiresAt` is in milliseconds since the epoch. */
export async function sign<Value>(secret: string, purpose: Purpose, value: Value, expiresAt: number): Promise<string> {
  const body = new TextEncoder().encode(JSON.stringify({ value, expiresAt } satisfies Signed<Value>));
  const signature = await crypto.subtle.sign("HMAC", await keyFor(secret, purpose), body);
  return `${toBase64Url(body)}.${toBase64Url(new Uint8Array(signature))}`;
}

/** Returns the signed value, or null if the token is altered, expired or was signed for another purpose. Compares in constant time. */
export async function verify<Value>(
  secret: string,
  purpose: Purpose,
  text: string,
  now: number,
): Promise<Value | null> {
  const [body = "", signature = ""] = text.split(".");
  try {
    const bytes = fromBase64Url(body);
    const isOurs = await crypto.subtle.verify("HMAC", await keyFor(secret, purpose), fromBase64Url(signature), bytes);
    if (!isOurs) return null;
    // The signature proves that `sign` wrote this JSON.
    const signed = JSON.parse(new TextDecoder().decode(bytes)) as Signed<Value>;
    return signed.expiresAt > now ? signed.value : null;
  } catch {
    return null;
  }
}

/** Imported keys. Importing one takes a good part of the time of a preview request. */
const keys = new Map<string, CryptoKey>();

async function keyFor(secret: string, purpose: Purpose): Promise<CryptoKey> {
  // Without a secret the key could be guessed.
  if (!secret) throw new Error("SIGNING_KEY is not set");
  const material = `${purpose}:${secret}`;
  const known = keys.get(material);
  if (known) return known;
  const bytes = new TextEncoder().encode(material);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  keys.set(material, key);
  return key;
}
