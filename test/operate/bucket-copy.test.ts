// A second copy of a bucket: what is copied, and a drill on a bucket of the local runtime.
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CopyMode,
  type ListedObject,
  listDifferences,
  writeBucketCopy,
} from "../../operate/cloudflare/bucket-copy.ts";

const object = (key: string, bytes = 1, writtenAt = 10): ListedObject => ({ key, bytes, writtenAt });

async function compare(from: ListedObject[], to: ListedObject[]): Promise<string[]> {
  const said: string[] = [];
  for await (const difference of listDifferences(list(from), list(to)))
    said.push("object" in difference ? `${difference.type} ${difference.object.key}` : formatOther(difference));
  return said;
}

const formatOther = (other: { type: string; key?: string }) => (other.key ? `${other.type} ${other.key}` : other.type);

async function* list(objects: ListedObject[]) {
  yield* objects;
}

it.each<[string, ListedObject[], ListedObject[], string[]]>([
  ["nothing", [], [], []],
  ["a first copy", [object("a"), object("b")], [], ["missing a", "missing b"]],
  ["a copy that is complete", [object("a")], [object("a")], ["unchanged"]],
  ["a copy that is newer", [object("a", 1, 10)], [object("a", 1, 20)], ["unchanged"]],
  ["an object that was written again", [object("a", 1, 20)], [object("a", 1, 10)], ["older a"]],
  ["another size", [object("a", 2, 10)], [object("a", 1, 20)], ["older a"]],
  [
    "deleted objects before, between and after",
    [object("b"), object("d")],
    [object("a"), object("b"), object("c"), object("d"), object("e")],
    ["extra a", "unchanged", "extra c", "unchanged", "extra e"],
  ],
  ["only deleted objects", [], [object("a")], ["extra a"]],
])("%s", async (_, from, to, said) => {
  expect(await compare(from, to)).toEqual(said);
});

describe("a drill", () => {
  const keys = { accessKeyId: "backup", secretAccessKey: "secret-of-the-drill" };
  let runtime: Miniflare;
  let endpoint: string;
  beforeAll(async () => {
    runtime = new Miniflare(
      convertV4MiniflareOptions({
        modules: [{ type: "ESModule", path: "none.js", contents: "export default {};" }],
        r2Buckets: { STORE: { id: "store", s3Credentials: keys }, BACKUP: { id: "backup", s3Credentials: keys } },
        cf: false,
      }),
    );
    endpoint = `${(await runtime.ready).origin}/cdn-cgi/local/r2/s3`;
  });
  afterAll(() => runtime.dispose());

  it("copies, continues, keeps what was deleted until it is pruned, and restores byte by byte", async () => {
    const [store, backup] = await Promise.all(["STORE", "BACKUP"].map((name) => runtime.getR2Bucket(name)));
    if (!store || !backup) throw new Error("There is no bucket.");
    const copy = (mode: CopyMode) => {
      const [from, to] = [`${endpoint}/store`, `${endpoint}/backup`];
      return writeBucketCopy({
        ...(mode === "restore" ? { from: to, to: from } : { from, to }),
        keys,
        mode,
        pageObjects: 10,
      });
    };
    // More than one page of a list, and keys that have to be encoded.
    const names = Array.from({ length: 25 }, (_, place) => `sessions/${String(place).padStart(5, "0")}.bin`);
    const odd = "sessions/a & b <c>/ä #1?.txt";
    await Promise.all(names.map((name) => store.put(name, name)));
    await store.put(odd, "odd", { httpMetadata: { contentType: "text/plain" } });
    expect(await copy("update")).toMatchObject({ copied: 26, unchanged: 0, deleted: 0 });
    await store.put("sessions/new", "new");
    expect(await copy("update")).toMatchObject({ copied: 1, copiedBytes: 3, unchanged: 26 });

    await store.delete([odd, "sessions/00007.bin"]);
    expect(await copy("update")).toMatchObject({ copied: 0, deleted: 0 });
    expect(await copy("restore")).toMatchObject({ copied: 2, unchanged: 25 });
    const restored = await store.get(odd);
    expect([await restored?.text(), restored?.httpMetadata?.contentType]).toEqual(["odd", "text/plain"]);

    await store.delete("sessions/00007.bin");
    // The restored object is newer than its copy.
    expect(await copy("prune")).toMatchObject({ copied: 1, deleted: 1 });
    expect(await backup.head("sessions/00007.bin")).toBeNull();
  });

  it.each([
    ["a bucket that is not there", "missing", keys, "There is no bucket for"],
    ["keys that may not write", "backup", { ...keys, secretAccessKey: "another" }, "The S3 keys may not"],
  ])("%s ends with a sentence", async (_, name, given, sentence) => {
    const task = { from: `${endpoint}/store`, to: `${endpoint}/${name}`, keys: given, mode: "update" as const };
    await expect(writeBucketCopy(task)).rejects.toThrow(sentence);
  });
});
