// Base64url without padding: the text form of every secret, signature and sealed value.

export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Throws on text that is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * The SHA-256 of a key in base64url, which is stored instead of the key. The duration of a lookup
 * by hash reveals nothing about the key.
 */
export async function getKeyHash(credential: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(credential));
  return toBase64Url(new Uint8Array(hash));
}
