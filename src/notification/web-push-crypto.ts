// What Web Push asks of a sender: the encryption of a notification to one browser (RFC 8291, in the
// form of RFC 8188), and the key that proves who sends it (RFC 8292).
import { fromBase64Url, toBase64Url } from "../lib/base64url.ts";
import type { PushSubscriptionKeys } from "./rules/web-device.ts";

const curve = { name: "ECDH", namedCurve: "P-256" } as const;
type Bytes = Uint8Array<ArrayBuffer>;
const encode = (text: string): Bytes => Uint8Array.from(new TextEncoder().encode(text));

const saltBytes = 16;
/** The size of the record that the header announces. A notification is one record, and smaller. */
const recordBytes = 4_096;
/** Ends the last record, and takes the place of padding. */
const lastRecord = 2;

/** What is new for each notification, so that no key is used twice. */
export interface Ephemeral {
  keys: CryptoKeyPair;
  salt: Bytes;
}

async function createEphemeral(): Promise<Ephemeral> {
  const keys = (await crypto.subtle.generateKey(curve, true, ["deriveBits"])) as CryptoKeyPair;
  return { keys, salt: crypto.getRandomValues(new Uint8Array(saltBytes)) };
}

/** Encrypts a text to a browser. Throws if its keys are not those of a browser. */
export async function sealForBrowser(
  text: string,
  { p256dh, auth }: Pick<PushSubscriptionKeys, "p256dh" | "auth">,
  ephemeral?: Ephemeral,
): Promise<Bytes> {
  const { keys, salt } = ephemeral ?? (await createEphemeral());
  const theirs = fromBase64Url(p256dh);
  const ours = new Uint8Array((await crypto.subtle.exportKey("raw", keys.publicKey)) as ArrayBuffer);
  const shared = await agree(keys.privateKey, theirs);
  const info = join(encode("WebPush: info\0"), theirs, ours);
  const secret = await expand(shared, { salt: fromBase64Url(auth), info, bytes: 32 });
  const derive = (name: string, bytes: number) =>
    expand(secret, { salt, info: encode(`Content-Encoding: ${name}\0`), bytes });
  const key = await crypto.subtle.importKey("raw", await derive("aes128gcm", 16), "AES-GCM", false, ["encrypt"]);
  const record = join(encode(text), Uint8Array.of(lastRecord));
  const iv = await derive("nonce", 12);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, record));
  const size = new DataView(new ArrayBuffer(4));
  size.setUint32(0, recordBytes);
  return join(salt, new Uint8Array(size.buffer), Uint8Array.of(ours.length), ours, sealed);
}

/** True for the public key of a browser, which is a point of the curve. */
export async function isPushKey(p256dh: string): Promise<boolean> {
  return await crypto.subtle.importKey("raw", fromBase64Url(p256dh), curve, false, []).then(
    () => true,
    () => false,
  );
}

async function agree(privateKey: CryptoKey, theirs: Bytes): Promise<Bytes> {
  const other = await crypto.subtle.importKey("raw", theirs, curve, false, []);
  // The types of the runtime name the field `$public`; the runtime itself reads `public`.
  const how = { name: "ECDH", public: other } as unknown as SubtleCryptoDeriveKeyAlgorithm;
  return new Uint8Array(await crypto.subtle.deriveBits(how, privateKey, 256));
}

/** HKDF with SHA-256. */
async function expand(from: Bytes, { salt, info, bytes }: { salt: Bytes; info: Bytes; bytes: number }): Promise<Bytes> {
  const key = await crypto.subtle.importKey("raw", from, "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8));
}

function join(...parts: Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What precedes the 32 bytes of a P-256 key in PKCS #8. */
const pkcs8Start = fromBase64Url("MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCA");

/** A private key of 32 bytes in base64url as PKCS #8, which Web Crypto imports. */
const toPkcs8 = (key: string) => join(pkcs8Start, fromBase64Url(key));

/** The PEM of a private key of 32 bytes in base64url. */
export function toPem(key: string): string {
  return `-----BEGIN PRIVATE KEY-----\n${btoa(String.fromCharCode(...toPkcs8(key)))}\n-----END PRIVATE KEY-----`;
}

/**
 * The public key of a private key, as browsers get it: an uncompressed point in base64url. Throws
 * for a key that cannot be read.
 */
export async function getPublicKey(key: string): Promise<string> {
  const how = { name: "ECDSA", namedCurve: "P-256" };
  const imported = await crypto.subtle.importKey("pkcs8", toPkcs8(key), how, true, ["sign"]);
  const { x, y } = (await crypto.subtle.exportKey("jwk", imported)) as JsonWebKey;
  if (x === undefined || y === undefined) throw new Error("this is no key of P-256");
  return toBase64Url(join(Uint8Array.of(4), fromBase64Url(x), fromBase64Url(y)));
}
