// Presigned URLs, compared with the example of AWS's own documentation of Signature Version 4.
import { expect, test } from "vitest";
import { createPresignedUrl, findPresignedUrl } from "../../../src/storage/presign.ts";

const signer = {
  ...{ accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
  ...{ region: "us-east-1", lifetimeMs: 86_400_000, now: Date.parse("2013-05-24T00:00:00Z") },
};

test("a URL is signed as in AWS's example", async () => {
  const url = new URL(await createPresignedUrl(new URL("https://examplebucket.s3.amazonaws.com/test.txt"), signer));
  expect(url.origin + url.pathname).toBe("https://examplebucket.s3.amazonaws.com/test.txt");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request",
    "X-Amz-Date": "20130524T000000Z",
    "X-Amz-Expires": "86400",
    "X-Amz-SignedHeaders": "host",
    "X-Amz-Signature": "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  });
});

test.each([
  ["a b/ü+(1).png", "/a%20b/%C3%BC%2B%281%29.png"],
  ["a%2Fb", "/a%252Fb"],
  ["it's*!.md", "/it%27s%2A%21.md"],
])("the path of the object %j is encoded once", async (key, path) => {
  const settings = { S3_ENDPOINT: "https://bucket.example/", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };
  const found = await findPresignedUrl(settings, encodeURIComponent(key).replaceAll("%2F", "/"), 60_000);
  expect(new URL(found ?? "").pathname).toBe(path);
  expect(await findPresignedUrl({ ...settings, S3_ENDPOINT: "" }, key, 60_000)).toBeNull();
});
