// JWTs that the service signs to show who it is: to the code host as its app, and to the push service.
import { toBase64Url } from "./base64url.ts";
import { readPrivateKey, type SigningAlgorithm } from "./jwt-private-key.ts";

export interface JwtOrder {
  algorithm: SigningAlgorithm;
  /** PEM. */
  privateKey: string;
  /** Fields of the header beside the algorithm. */
  header?: Record<string, string>;
  claims: Record<string, unknown>;
}

/** Signs a JWT. Throws for a key that cannot be read. */
export async function signJwt({ algorithm, privateKey, header = {}, claims }: JwtOrder): Promise<string> {
  const key = await readPrivateKey(privateKey, algorithm);
  const parts = [{ alg: algorithm, typ: "JWT", ...header }, claims];
  const text = parts.map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  // Web Crypto reads the part of these that its key's algorithm needs.
  const how = { name: key.algorithm.name, hash: "SHA-256" };
  const signature = await crypto.subtle.sign(how, key, new TextEncoder().encode(text));
  return `${text}.${toBase64Url(new Uint8Array(signature))}`;
}
