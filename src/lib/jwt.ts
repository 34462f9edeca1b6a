// JWTs that the service signs to authenticate itself: to the code host as its app, and to the push
// service.
import { toBase64Url } from "./base64url.ts";

export interface JwtOrder {
  algorithm: SigningAlgorithm;
  /** PEM. */
  privateKey: string;
  /** Header fields besides the algorithm. */
  header?: Record<string, string>;
  claims: Record<string, unknown>;
}

/** Signs a JWT. Throws if the key cannot be read. */
export async function signJwt({ algorithm, privateKey, header = {}, claims }: JwtOrder): Promise<string> {
  const key = await readPrivateKey(privateKey, algorithm);
  const parts = [{ alg: algorithm, typ: "JWT", ...header }, claims];
  const text = parts.map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  // Web Crypto reads the fields that its key's algorithm needs.
  const how = { name: key.algorithm.name, hash: "SHA-256" };
  const signature = await crypto.subtle.sign(how, key, new TextEncoder().encode(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}

const importAs = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
} as const;
export type SigningAlgorithm = keyof typeof importAs;

/** The PKCS #8 header of an RSA key: the version and the algorithm identifier. */
const versionAndAlgorithm = [0x02, 1, 0, 0x30, 13, 0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 0x05, 0];
const [sequence, octetString] = [0x30, 0x04];

/**
 * Imports a private key in PEM. GitHub issues PKCS #1, which Web Crypto cannot import, so such a
 * key is wrapped in PKCS #8. Line breaks may be written as `\n`, as in settings. Throws for
 * anything that is not a key of this algorithm.
 */
export async function readPrivateKey(pem: string, algorithm: SigningAlgorithm): Promise<CryptoKey> {
  const form = /-----BEGIN (RSA )?PRIVATE KEY-----([^-]+)-----END/.exec(pem.replaceAll("\\n", "\n"));
  if (!form) throw new Error("this is no private key in PEM");
  const [, isPkcs1, text = ""] = form;
  const bytes = Uint8Array.from(atob(text.replace(/\s/g, "")), (character) => character.charCodeAt(0));
  const whole = isPkcs1 ? element(sequence, [...versionAndAlgorithm, ...element(octetString, bytes)]) : bytes;
  return await crypto.subtle.importKey("pkcs8", new Uint8Array(whole), importAs[algorithm], false, ["sign"]);
}

/** A DER element: tag, length and content. */
function element(tag: number, content: ArrayLike<number>): number[] {
  const { length } = content;
  const digits = [length >> 16, (length >> 8) & 0xff, length & 0xff];
  const significant = digits.slice(digits.findIndex((digit) => digit > 0));
  const head = length < 0x80 ? [length] : [0x80 | significant.length, ...significant];
  return [tag, ...head, ...Array.from(content)];
}
