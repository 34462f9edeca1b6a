// Bodies in R2, for nouns with one body each: artifacts, Prototypes, skills. A body is recorded as
// unconfirmed and counted towards the quota of its workspace, then stored, then named by a row. The
// sweep deletes a body that no row names.

import { and, lte, sql } from "drizzle-orm";
import { artifacts, prototypes } from "../artifact/tables.ts";
import { log } from "../lib/log.ts";
import { plugins } from "../plugin/tables.ts";
import { unconfirmedObjectMs } from "../rules/limits.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { skills } from "../skill/tables.ts";
import { toDrizzle } from "./database.ts";
import { writeStream } from "./objects.ts";
import { countStored, deleteSizesStatement, type ObjectSize, type StorageOwner } from "./stored-objects.ts";
import { unconfirmedObjects } from "./tables.ts";

export interface Storage {
  DB: D1Database;
  STORE: R2Bucket;
}

export interface StoredBody {
  bodyKey: string;
  byteSize: number;
}

/**
 * Texts are served only by the API. If storage serves one directly, an HTML body must not be shown
 * as a page.
 */
export const textMetadata = { contentType: "text/plain; charset=utf-8" };

/**
 * Stores texts, each under its key, unless they exceed the quota. The sweep deletes those that no
 * row names later. `owner` is null for a person.
 */
export async function saveTexts(
  { DB, STORE }: Storage,
  owner: StorageOwner | null,
  texts: [bodyKey: string, text: string][],
): Promise<StoredBody[] | Refusal> {
  const encoder = new TextEncoder();
  const bodies = texts.map(([key, text]) => ({ key, body: encoder.encode(text) }));
  const sizes = bodies.map(({ key, body }) => ({ key, bytes: body.length }));
  const refusal = await recordStored(DB, owner, sizes);
  if (refusal) return refusal;
  await Promise.all(bodies.map(({ key, body }) => STORE.put(key, body, { httpMetadata: textMetadata })));
  return sizes.map(({ key, bytes }) => ({ bodyKey: key, byteSize: bytes }));
}

/** Stores a text under a key, as above. */
export async function saveTextAt(
  env: Storage,
  owner: StorageOwner | null,
  bodyKey: string,
  text: string,
): Promise<StoredBody | Refusal> {
  const stored = await saveTexts(env, owner, [[bodyKey, text]]);
  if (isRefusal(stored)) return stored;
  return stored[0] as StoredBody;
}

/**
 * A file that is being uploaded to storage. It is counted with its maximum size until its row is
 * written.
 */
export interface Upload {
  bodyKey: string;
  mostBytes: number;
  bytes: AsyncIterable<Uint8Array>;
  httpMetadata: R2HTTPMetadata;
}

/**
 * Stores bytes under a key, unless they may exceed the quota. The sweep deletes them unless a row
 * names the key later.
 */
export async function saveStream(
  env: Storage,
  owner: StorageOwner,
  { bodyKey, mostBytes, bytes, httpMetadata }: Upload,
): Promise<StoredBody | Refusal> {
  const refusal = await recordStored(env.DB, owner, [{ key: bodyKey, bytes: mostBytes }]);
  if (refusal) return refusal;
  try {
    return { bodyKey, byteSize: await writeStream(env.STORE, bodyKey, bytes, httpMetadata) };
  } catch (error) {
    await deleteObjects(env, [bodyKey]);
    throw error;
  }
}

/**
 * Records objects that are about to be stored, and counts them towards the quota of their owner's
 * workspace.
 */
async function recordStored(
  database: D1Database,
  owner: StorageOwner | null,
  objects: ObjectSize[],
): Promise<Refusal | null> {
  const keys = objects.map(({ key }) => key);
  const dueAt = Date.now() + unconfirmedObjectMs;
  if (owner === null) {
    await recordUnconfirmed(database, keys, dueAt);
    return null;
  }
  const refusal = await countStored(database, owner, objects, [recordUnconfirmedStatement(database, keys, dueAt)]);
  if (refusal) await deleteUnconfirmed(database, keys);
  return refusal;
}

/**
 * The key of a document's layout. Its number is incremented when the layout of documents changes.
 */
export const getLayoutKey = (bodyKey: string) => `${bodyKey}.layout-1.html`;

/** Deletes objects that no row names. If that fails, the sweep deletes them later. */
export async function deleteObjects({ DB, STORE }: Storage, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  try {
    await STORE.delete(keys.flatMap((key) => [key, getLayoutKey(key)]));
    await deleteUnconfirmed(DB, keys, [deleteSizesStatement(DB, keys)]);
  } catch (error) {
    log.warn("stored_object.deletion_delayed", { count: keys.length, error });
  }
}

const objectsPerSweep = 50;

/** Deletes the unconfirmed objects that are due. */
export async function sweepUnconfirmedObjects(env: Storage, now: number): Promise<void> {
  await deleteObjects(env, await overdueObjects(env.DB, now, objectsPerSweep));
}

/**
 * Records objects that are about to be stored or that nothing names any longer. From `dueAt` on,
 * the sweep deletes those without a row. Each is recorded before it can become an orphan, so the
 * sweep finds it even if the Worker dies in between.
 */
export async function recordUnconfirmed(database: D1Database, keys: string[], dueAt: number): Promise<void> {
  if (keys.length > 0) await recordUnconfirmedStatement(database, keys, dueAt).run();
}

/** The statement of `recordUnconfirmed`. */
function recordUnconfirmedStatement(database: D1Database, keys: string[], dueAt: number): D1PreparedStatement {
  return database
    .prepare(
      "INSERT INTO objects_in_doubt (key, due_at) SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING",
    )
    .bind(JSON.stringify(keys), dueAt);
}

/**
 * Deletes the records of objects that are deleted, or that a row now names. `beside` runs in the
 * same transaction.
 */
async function deleteUnconfirmed(
  database: D1Database,
  keys: string[],
  beside: D1PreparedStatement[] = [],
): Promise<void> {
  const forgotten = database
    .prepare("DELETE FROM objects_in_doubt WHERE key IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(keys));
  await database.batch([forgotten, ...beside]);
}

/** The columns that name bodies. A body stays while one of them has its key. */
const bodyKeys = [artifacts.bodyKey, plugins.bodyKey, skills.bodyKey];

/** The keys of unconfirmed objects that are due, except those that a row names. */
async function overdueObjects(database: D1Database, now: number, limit: number): Promise<string[]> {
  const found = await toDrizzle(database)
    .select({ key: unconfirmedObjects.key })
    .from(unconfirmedObjects)
    .where(
      and(
        lte(unconfirmedObjects.dueAt, now),
        ...bodyKeys.map(
          (named) => sql`NOT EXISTS (SELECT 1 FROM ${named.table} WHERE ${named} = ${unconfirmedObjects.key})`,
        ),
        // The key of a Prototype's body has the Prototype's id after its first folder.
        sql`NOT EXISTS (SELECT 1 FROM ${prototypes} WHERE ${prototypes.id} = substr(${unconfirmedObjects.key}, 12, 36)
          AND ${unconfirmedObjects.key} LIKE 'prototypes/%')`,
      ),
    )
    .orderBy(unconfirmedObjects.dueAt)
    .limit(limit)
    .all();
  return found.map(({ key }) => key);
}
