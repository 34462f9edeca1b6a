// What is kept of a key: its hash. Looking one up by hash tells nothing by the time it takes.
import { toBase64Url } from "../base64url.ts";

/** SHA-256 in base64url. */
export async function keyHash(credential: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(credential));
  return toBase64Url(new Uint8Array(hash));
}
