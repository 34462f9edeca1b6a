// What the storage of artifacts leaves when a Worker dies at any moment, and the sweep that deletes
// it.
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { listPrototypeBodyKeys, saveFile, saveText } from "../../../src/artifact/bodies.ts";
import { createPrototype, deletePrototype, readPrototype } from "../../../src/artifact/prototypes.ts";
import { listArtifacts } from "../../../src/artifact/queries.ts";
import { recordArtifact, writeTextArtifact } from "../../../src/artifact/write.ts";
import { createId } from "../../../src/lib/ids.ts";
import { listedMax, unconfirmedObjectMs } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { deleteSessionRows } from "../../../src/session/queries/index.ts";
import { recordUnconfirmed, sweepUnconfirmedObjects } from "../../../src/storage/bodies.ts";
import { withMethods } from "../support/binding.ts";

const naming = { slug: "a", title: "A", kind: "html" as const };
const longAfter = () => Date.now() + unconfirmedObjectMs + 1;
let sessionId: string;

beforeEach(async () => {
  sessionId = createId();
  await env.DB.prepare(
    `INSERT INTO sessions (id, workspace_id, project_id, title, status, priority, target_branch, sandbox_key, is_behind, queue_count, created_at, updated_at)
     VALUES (?1, 'ws', 'p', 'T', 'active', 'none', 'main', ?1, 0, 0, 0, 0)`,
  )
    .bind(sessionId)
    .run();
});

const owner = () => ({ type: "session" as const, id: sessionId });
const origin = () => ({ owner: owner(), writeId: createId(), prototypeId: null });
const write = async (text: string, storage: Parameters<typeof writeTextArtifact>[0] = env) => {
  const row = await writeTextArtifact(storage, origin(), naming, text);
  if (isRefusal(row)) throw new Error(row.message);
  return row;
};
async function store(text: string) {
  const body = await saveText(env, owner(), text);
  if (isRefusal(body)) throw new Error(body.message);
  return body;
}
const stored = async () => (await env.STORE.list({ prefix: `sessions/${sessionId}/` })).objects.map(({ key }) => key);
const doubts = async () =>
  (await env.DB.prepare("SELECT key FROM objects_in_doubt WHERE key LIKE ?1").bind(`%${sessionId}%`).all()).results;

test("a body without a row is deleted by the sweep when it is due, and not before", async () => {
  const { bodyKey } = await store("orphan");
  await sweepUnconfirmedObjects(env, Date.now());
  expect(await stored()).toEqual([bodyKey]);
  await sweepUnconfirmedObjects(env, longAfter());
  expect(await stored()).toEqual([]);
  expect(await doubts()).toEqual([]);
});

test("a body with a row is never deleted, even if it is recorded as unconfirmed", async () => {
  const row = await write("kept");
  await env.DB.prepare("INSERT INTO objects_in_doubt VALUES (?1, 0)").bind(row?.bodyKey).run();
  await sweepUnconfirmedObjects(env, longAfter());
  expect(await stored()).toEqual([row?.bodyKey]);
});

test("an old body whose deletion failed is deleted by the sweep", async () => {
  const first = await write("one");
  const deaf = { DB: env.DB, STORE: new Proxy(env.STORE, { get: failingDelete }) };
  const second = await write("two", deaf);
  expect(second?.version).toBe(2);
  expect(new Set(await stored())).toEqual(new Set([first?.bodyKey, second?.bodyKey]));
  await sweepUnconfirmedObjects(env, Date.now() + 1);
  expect(await stored()).toEqual([second?.bodyKey]);
  expect(await doubts()).toEqual([]);
});

function failingDelete(store: R2Bucket, name: string | symbol): unknown {
  if (name === "delete") return () => Promise.reject(new Error("storage is away"));
  const value: unknown = Reflect.get(store, name);
  return typeof value === "function" ? value.bind(store) : value;
}

test("a write that ends after the session's deletion leaves neither row nor body", async () => {
  const body = await store("late");
  await deleteSessionRows(env.DB, sessionId);
  expect(await recordArtifact(env, { ...origin(), ...naming, ...body, declared: null, mediaType: null })).toBe(null);
  expect(await listArtifacts(env.DB, sessionId)).toEqual([]);
  expect(await stored()).toEqual([]);
});

test("a copy overwrites only its own copies, and changes nothing else", async () => {
  const own = await write("the agent's");
  const copied = await writeTextArtifact(env, { ...origin(), prototypeId: createId() }, naming, "a copy");
  expect(copied).toBe(null);
  expect(await listArtifacts(env.DB, sessionId)).toEqual([own]);
  expect(await stored()).toEqual([own?.bodyKey]);
  expect(await doubts()).toEqual([]);
});

describe("an owner with 498 artifacts", () => {
  beforeEach(async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 498)
       INSERT INTO artifacts (id, session_id, slug, title, kind, version, body_key, byte_size, write_id, created_at, updated_at)
       SELECT ?1 || i, ?1, 'slug-' || i, 'T', 'html', 1, ?1 || i, 0, 'w', i, i FROM n`,
    )
      .bind(sessionId)
      .run();
  });
  const writeAs = (slug: string, more = {}) =>
    writeTextArtifact(env, { ...origin(), ...more }, { ...naming, slug }, slug);

  test("gets two of ten that are written concurrently, and the others are refused with a message and leave no body", async () => {
    const results = await Promise.all(Array.from({ length: 10 }, (_, at) => writeAs(`new-${at}`)));
    const refused = results.filter(isRefusal);
    expect(refused.map(({ code, message }) => [code, message])).toEqual(
      Array.from({ length: 8 }, () => ["BAD_REQUEST", expect.stringContaining("500 artifacts")]),
    );
    expect(await listArtifacts(env.DB, sessionId)).toHaveLength(500);
    expect(await stored()).toHaveLength(2);
    expect(await doubts()).toEqual([]);
  });

  test("still writes the slugs that it has, and a repeat of the last write is no refusal", async () => {
    const writeId = createId();
    await writeAs("new-1");
    const last = await writeAs("new-2", { writeId });
    expect(await writeAs("new-2", { writeId })).toEqual(last);
    expect(await writeAs("new-1")).toMatchObject({ slug: "new-1", version: 2 });
    expect(await writeAs("slug-7")).toMatchObject({ slug: "slug-7", version: 2 });
    expect(await writeAs("new-3")).toMatchObject({ code: "BAD_REQUEST" });
    expect(await writeAs("new-3", { prototypeId: createId() })).toMatchObject({ code: "BAD_REQUEST" });
  });
});

test("only the newest of very many artifacts are listed", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ?2)
     INSERT INTO artifacts (id, session_id, slug, title, kind, version, body_key, byte_size, write_id, created_at, updated_at)
     SELECT ?1 || i, ?1, 'slug-' || i, 'T', 'html', 1, ?1 || i, 0, 'w', i, i FROM n`,
  )
    .bind(sessionId, listedMax)
    .run();
  const listed = await listArtifacts(env.DB, sessionId);
  expect([listed.length, listed[0]?.slug, listed.at(-1)?.slug]).toEqual([listedMax, `slug-${listedMax + 1}`, "slug-2"]);
});

describe("a part of a large body that storage does not take", () => {
  const twoParts = 6 * 1024 * 1024;
  const media = { slug: "film", mediaType: "video/mp4" };

  /** Storage whose first `failures` calls for a part fail. */
  function failing(failures: number): R2Bucket {
    let left = failures;
    return withMethods(env.STORE, {
      async createMultipartUpload(key: string, options?: R2MultipartOptions) {
        const upload = await env.STORE.createMultipartUpload(key, options);
        return withMethods(upload, {
          async uploadPart(...part: Parameters<R2MultipartUpload["uploadPart"]>) {
            left -= 1;
            if (left >= 0) throw new Error("storage is busy");
            return await upload.uploadPart(...part);
          },
        });
      },
    });
  }

  async function* body() {
    for (let sent = 0; sent < twoParts; sent += 65_536) yield new Uint8Array(65_536);
  }
  const storeFilm = (failures: number) =>
    saveFile(
      { DB: env.DB, STORE: failing(failures) },
      { owner: owner(), ...media },
      { bytes: body(), mostBytes: twoParts },
    );

  test("is sent again", async () => {
    expect(await storeFilm(2)).toMatchObject({ byteSize: twoParts });
    expect(await stored()).toHaveLength(1);
  });

  test("fails the upload after three attempts, and leaves nothing", async () => {
    await expect(storeFilm(3)).rejects.toThrow("storage is busy");
    expect(await stored()).toEqual([]);
    expect(await doubts()).toEqual([]);
  });
});

test("a Prototype that is created concurrently under one key is one, and keeps its bodies", async () => {
  const draft = { projectId: "p", createdBy: null, title: "Y", variants: [{ ...naming, name: "a", body: "<p>A</p>" }] };
  const create = () => createPrototype(env, { ...draft, repeat: { key: sessionId, bodyHash: "" } }, Date.now());
  const [first, ...others] = await Promise.all(Array.from({ length: 6 }, create));
  if (first === undefined || isRefusal(first)) throw new Error("no Prototype");
  expect(others).toEqual(others.map(() => first));
  await sweepUnconfirmedObjects(env, longAfter());
  expect(await readPrototype(env, first.row)).toEqual(first);

  // A repeat that died noted the bodies again.
  await recordUnconfirmed(env.DB, listPrototypeBodyKeys(first.row), 0);
  await sweepUnconfirmedObjects(env, longAfter());
  expect(await readPrototype(env, first.row)).toEqual(first);
  await deletePrototype(env, first.row, Date.now());
  expect(await readPrototype(env, first.row)).toBe(null);
});
