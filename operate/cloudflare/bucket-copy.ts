// A second copy of the bucket, in another bucket of the same storage. Objects are copied inside the
// storage, so that no byte passes this machine. Both lists are sorted by key and read side by side,
// so that memory stays constant.
import { AwsClient } from "aws4fetch";
import { Stop } from "../lib/exit.ts";

export interface BucketKeys {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface CopyTask {
  /** The S3 URL of the bucket that is read, including its name. */
  from: string;
  /** The S3 URL of the bucket that is written. */
  to: string;
  keys: BucketKeys;
  mode: CopyMode;
  /** The length of a page of a list; at most 1,000. */
  pageObjects?: number;
}

/**
 * `update` copies what is missing or older in the second bucket. `prune` also deletes what the
 * first bucket does not have. `restore` copies only what is missing, because every copy is newer
 * than its original.
 */
export type CopyMode = "update" | "prune" | "restore";

export interface CopyResult {
  copied: number;
  copiedBytes: number;
  unchanged: number;
  deleted: number;
}

export interface ListedObject {
  key: string;
  bytes: number;
  /** Milliseconds since the epoch. */
  writtenAt: number;
}

type Difference =
  | { type: "missing" | "older"; object: ListedObject }
  | { type: "unchanged" }
  | { type: "extra"; key: string };

/** So many objects are copied at the same time. */
const lanes = 16;

/**
 * Copies objects to a second bucket. Can be interrupted and run again. Throws `Stop` if the storage
 * refuses.
 */
export async function writeBucketCopy({ from, to, keys, mode, pageObjects = 1_000 }: CopyTask): Promise<CopyResult> {
  const client = new AwsClient({ ...keys, service: "s3", region: "auto" });
  const result: CopyResult = { copied: 0, copiedBytes: 0, unchanged: 0, deleted: 0 };
  const differences = listDifferences(listObjects(client, from, pageObjects), listObjects(client, to, pageObjects));

  async function apply(difference: Difference): Promise<void> {
    if (difference.type === "extra") {
      if (mode !== "prune") return;
      await request(client, `${to}/${toPath(difference.key)}`, { method: "DELETE" });
      result.deleted += 1;
      return;
    }
    if (difference.type === "unchanged" || (difference.type === "older" && mode === "restore")) {
      result.unchanged += 1;
      return;
    }
    const { key, bytes } = difference.object;
    const source = `${new URL(from).pathname.replace(/^.*\//, "/")}/${toPath(key)}`;
    await request(client, `${to}/${toPath(key)}`, { method: "PUT", headers: { "x-amz-copy-source": source } });
    result.copied += 1;
    result.copiedBytes += bytes;
  }

  // An async generator answers concurrent calls of `next` in their order.
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = await differences.next(); !next.done; next = await differences.next()) await apply(next.value);
    }),
  );
  return result;
}

/**
 * Compares two lists that are sorted by key. A copy is older if its size differs, or if its object
 * was written after it. ETags differ between copies of objects that were uploaded in parts.
 */
export async function* listDifferences(
  from: AsyncIterable<ListedObject>,
  to: AsyncIterable<ListedObject>,
): AsyncGenerator<Difference, void> {
  const copies = to[Symbol.asyncIterator]();
  let copy = await copies.next();
  for await (const object of from) {
    for (; !copy.done && copy.value.key < object.key; copy = await copies.next())
      yield { type: "extra", key: copy.value.key };
    if (copy.done || copy.value.key !== object.key) {
      yield { type: "missing", object };
      continue;
    }
    const isCurrent = copy.value.bytes === object.bytes && copy.value.writtenAt >= object.writtenAt;
    yield isCurrent ? { type: "unchanged" } : { type: "older", object };
    copy = await copies.next();
  }
  for (; !copy.done; copy = await copies.next()) yield { type: "extra", key: copy.value.key };
}

async function* listObjects(
  client: AwsClient,
  bucket: string,
  pageObjects: number,
): AsyncGenerator<ListedObject, void> {
  let after: string | undefined;
  do {
    const url = new URL(bucket);
    url.searchParams.set("list-type", "2");
    url.searchParams.set("max-keys", String(pageObjects));
    if (after !== undefined) url.searchParams.set("continuation-token", after);
    const page = await (await request(client, url.href)).text();
    for (const [, object = ""] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs))
      yield {
        key: readField(object, "Key") ?? "",
        bytes: Number(readField(object, "Size")),
        writtenAt: Date.parse(readField(object, "LastModified") ?? ""),
      };
    after = readField(page, "NextContinuationToken");
  } while (after !== undefined);
}

const signs: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#39": "'", "#x27": "'" };

function readField(xml: string, name: string): string | undefined {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replace(/&([#\w]+);/g, (whole, sign: string) => signs[sign] ?? whole);
}

const toPath = (key: string) => key.split("/").map(encodeURIComponent).join("/");

/** Sends a request, which aws4fetch repeats while the storage is overloaded. */
async function request(client: AwsClient, url: string, init: RequestInit = {}): Promise<Response> {
  const response = await client.fetch(url, init);
  // A copy that fails after its first byte answers 200, with the error in its body.
  const text = response.ok && init.method !== "PUT" ? "" : await response.text();
  if (response.ok && !text.includes("<Error>")) return response;
  const { pathname } = new URL(url);
  const code = readField(text, "Code") ?? response.status;
  if (code === "NoSuchBucket") throw new Stop(`There is no bucket for ${pathname}. Make it first.`);
  if (response.status === 403)
    throw new Stop(
      `The S3 keys may not ${init.method ?? "list"} ${pathname}. Make keys that may read and write both buckets.`,
    );
  throw new Stop(
    `The storage answers ${code} to ${init.method ?? "GET"} ${pathname}. Run the command again: it continues.`,
  );
}
