// The signature of a webhook: an HMAC of its body under a secret that the code host and the service share.

const form = /^sha256=((?:[0-9a-f]{2}){32})$/;

/** True if an `X-Hub-Signature-256` header is well-formed. */
export function isSignature(header: string | null): header is string {
  return header !== null && form.test(header);
}

/** True if the body was signed with the secret. Compares in constant time. */
export async function isSignedBy(secret: string, header: string, body: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const [, digits] = form.exec(header) ?? [];
  if (digits === undefined) return false;
  const signature = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["verify"]);
  return await crypto.subtle.verify("HMAC", key, signature, body);
}
