// Presigned URLs. Anybody with the URL can fetch the object from storage until the URL expires.
import { getTextHash, toHex } from "../lib/hex.ts";

/** The bucket's S3 endpoint and its credentials. */
export interface S3Settings {
  /** The URL of the bucket, including its name. */
  S3_ENDPOINT?: string;
  S3_ACCESS_KEY_ID?: string;
  S3_SECRET_ACCESS_KEY?: string;
}

/** Returns a presigned URL of an object, valid for `lifetimeMs`. Null if S3 is not configured. */
export async function findPresignedUrl(settings: S3Settings, key: string, lifetimeMs: number): Promise<string | null> {
  const { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings;
  if (!S3_ENDPOINT || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) return null;
  const url = new URL(`${S3_ENDPOINT.replace(/\/+$/, "")}/${key}`);
  const signer = { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY, region: "auto" };
  return await createPresignedUrl(url, { ...signer, lifetimeMs, now: Date.now() });
}

interface PresignOptions {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  lifetimeMs: number;
  now: number;
}

/** Signs a GET of a URL without a query, by AWS Signature Version 4 in its query form. */
export async function createPresignedUrl(
  url: URL,
  { accessKeyId, secretAccessKey, region, lifetimeMs, now }: PresignOptions,
): Promise<string> {
  const time = new Date(now).toISOString().replace(/[:-]|\.\d+/g, "");
  const date = time.slice(0, 8);
  const scope = `${date}/${region}/s3/aws4_request`;
  // The query is signed in the order of its names.
  const query = [
    ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
    ["X-Amz-Credential", `${accessKeyId}/${scope}`],
    ["X-Amz-Date", time],
    ["X-Amz-Expires", String(Math.floor(lifetimeMs / 1_000))],
    ["X-Amz-SignedHeaders", "host"],
  ]
    .map(([name, value = ""]) => `${name}=${encode(value)}`)
    .join("&");
  const path = decodeURIComponent(url.pathname).split("/").map(encode).join("/");
  const request = `GET\n${path}\n${query}\nhost:${url.host}\n\nhost\nUNSIGNED-PAYLOAD`;
  let key: Uint8Array = toBytes(`AWS4${secretAccessKey}`);
  for (const part of [date, region, "s3", "aws4_request"]) key = await authenticate(key, part);
  const signature = toHex(
    await authenticate(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${await getTextHash(request)}`),
  );
  return `${url.origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

const toBytes = (text: string) => new TextEncoder().encode(text);

/** Encodes as S3 does, which leaves fewer characters than `encodeURIComponent`. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${toHex(toBytes(character)).toUpperCase()}`);

async function authenticate(key: Uint8Array, text: string): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, toBytes(text)));
}
