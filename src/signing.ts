// Signed statements: small JSON values that the service hands out and believes again when they come back unaltered and in time.
import { fromBase64Url, toBase64Url } from "./base64url.ts";

/** What a statement is for. One made for one purpose is not believed for another. */
export type Purpose = "pass" | "auth-token";

interface Signed<Value> {
  value: Value;
  /** Milliseconds. */
  expiresAt: number;
}

/** Signs a value for one purpose. */
export async function sign<Value>(secret: string, purpose: Purpose, value: Value, expiresAt: number): Promise<string> {
  const body = new TextEncoder().encode(JSON.stringify({ value, expiresAt } satisfies Signed<Value>));
  const signature = await crypto.subtle.sign("HMAC", await keyFor(secret, purpose), body);
  return `${toBase64Url(body)}.${toBase64Url(new Uint8Array(signature))}`;
}

/** Gives the value back, or null for text that is altered, expired or was signed for something else. Compares in constant time. */
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
    // The signature says that `sign` wrote it.
    const signed = JSON.parse(new TextDecoder().decode(bytes)) as Signed<Value>;
    return signed.expiresAt > now ? signed.value : null;
  } catch {
    return null;
  }
}

/** Made once: a preview request would spend a good part of its time on it. */
const keys = new Map<string, CryptoKey>();

async function keyFor(secret: string, purpose: Purpose): Promise<CryptoKey> {
  // A deployment without its secret would otherwise sign with a key that anybody can guess.
  if (!secret) throw new Error("SIGNING_KEY is not set");
  const words = `${purpose}:${secret}`;
  const made = keys.get(words);
  if (made) return made;
  const bytes = new TextEncoder().encode(words);
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  keys.set(words, key);
  return key;
}
