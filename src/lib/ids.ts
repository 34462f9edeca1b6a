// Ids and random secrets. Ids are UUIDv7, so they sort by creation time.
import { toBase64Url } from "./base64url.ts";
import { toHex } from "./hex.ts";

/** Returns a UUIDv7 for a time in milliseconds since the epoch. */
export function createId(now: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(now / 2 ** 32));
  view.setUint32(2, now % 2 ** 32);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f));
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = toHex(bytes);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Returns the UUID of a part of what another UUID names. It is the same for each call, and the ids
 * of the parts sort by their places, which are 0 to 65,535.
 */
export function createPartId(id: string, place: number): string {
  return id.slice(0, -4) + place.toString(16).padStart(4, "0");
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the text form of a UUID. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}

/** Returns the time of a UUIDv7 in milliseconds since the epoch, or NaN for any other text. */
export function getIdTime(id: string): number {
  return id.charAt(14) === "7" && isUuid(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : Number.NaN;
}

/** Returns 32 random bytes in base64url, with a prefix such as `svc_key_`. */
export function createSecret(prefix = ""): string {
  return prefix + toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

const lowercaseAndDigits = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns random lower-case letters and digits, each equally likely. */
export function createName(length: number): string {
  const name: string[] = [];
  while (name.length < length) {
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    // 252 is the largest multiple of 36 in a byte. Higher bytes would favour the first letters.
    if (byte < 252) name.push(lowercaseAndDigits.charAt(byte % lowercaseAndDigits.length));
  }
  return name.join("");
}
