// The hash of a key, which is stored in place of the key. The duration of a lookup by hash reveals nothing about the key.
import { toBase64Url } from "./base64url.ts";

/** SHA-256 in base64url. */
export async function keyHash(credential: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(credential));
  return toBase64Url(new Uint8Array(hash));
}
