// Presigned URLs. Anybody with the URL can fetch the object from storage until the URL expires.
import { AwsV4Signer } from "aws4fetch";

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
  url.searchParams.set("X-Amz-Expires", String(Math.floor(lifetimeMs / 1_000)));
  const signer = new AwsV4Signer({
    url: url.href,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    service: "s3",
    region: "auto",
    signQuery: true,
  });
  return (await signer.sign()).url.href;
}
