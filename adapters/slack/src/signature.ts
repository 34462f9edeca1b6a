// Verifies the service's webhooks by Standard Webhooks 1.0.

const toleranceSeconds = 5 * 60;

/** True for a body that the holder of the secret signed in the last minutes. */
export async function isSigned(body: string, headers: Headers, secret: string): Promise<boolean> {
  const id = headers.get("webhook-id");
  const timestamp = headers.get("webhook-timestamp") ?? "";
  const isNear = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds;
  if (!id || !/^\d+$/.test(timestamp) || !isNear) return false;
  const bytes = fromBase64(secret.replace(/^whsec_/, ""));
  if (bytes === null) throw new Error("SWITCHYARD_WEBHOOK_SECRET is not the secret of a webhook.");
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of (headers.get("webhook-signature") ?? "").split(" ").slice(0, 10)) {
    const [version, value = ""] = signature.split(",");
    const given = version === "v1" ? fromBase64(value) : null;
    if (given && (await crypto.subtle.verify("HMAC", key, given, signed))) return true;
  }
  return false;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
