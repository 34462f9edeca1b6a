// Signs deliveries by Standard Webhooks 1.0, and verifies those of other programs.
import { timingSafeEqual } from "node:crypto";

const prefix = "whsec_";
const encoder = new TextEncoder();

interface Signed {
  id: string;
  /** Seconds since the epoch, as its header has them. */
  timestamp: string;
  body: Uint8Array;
}

/** The key that signs with a secret. */
export function toSigningKey(secret: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(secret.slice(prefix.length)), (character) => character.charCodeAt(0));
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/** The headers of an attempt, signed with the key of each valid secret, the newest first. */
export async function signDelivery(
  { id, body, at }: { id: string; body: string; at: number },
  keys: readonly CryptoKey[],
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000));
  const signed = { id, timestamp, body: encoder.encode(body) };
  const signatures = await Promise.all(keys.map((key) => sign(signed, key)));
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

/** True if one of the signatures was made with the secret. Compares in constant time. */
export async function isSigned(signed: Signed, signatures: readonly string[], secret: string): Promise<boolean> {
  const expected = encoder.encode(await sign(signed, await toSigningKey(secret)));
  return signatures.some((signature) => {
    const given = encoder.encode(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function sign({ id, timestamp, body }: Signed, key: CryptoKey): Promise<string> {
  const head = encoder.encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  return `v1,${btoa(String.fromCharCode(...mac))}`;
}
