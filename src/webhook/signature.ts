// Signs deliveries by Standard Webhooks 1.0.

const prefix = "whsec_";

/** The headers of an attempt, signed with each secret that is valid, the newest first. */
export async function signDelivery(
  { id, body, at }: { id: string; body: string; at: number },
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000));
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = Uint8Array.from(atob(secret.slice(prefix.length)), (character) => character.charCodeAt(0));
      const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
      const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
      return `v1,${btoa(String.fromCharCode(...mac))}`;
    }),
  );
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
