// The artifacts of an owner: a session or a run. An artifact is written by one upsert, so that each
// concurrent write creates a version, and none adds a second row for a slug.
import { and, desc, eq, inArray } from "drizzle-orm";
import type { TurnOwner } from "../chat/rules/chat.ts";
import { artifactsMax, listedMax } from "../rules/limits.ts";
import { toDrizzle } from "../storage/database.ts";
import { recordSizeStatement } from "../storage/stored-objects.ts";
import { unconfirmedObjects } from "../storage/tables.ts";
import type { ArtifactNaming } from "./rules/artifact.ts";
import { artifacts, prototypes } from "./tables.ts";

export type ArtifactRow = typeof artifacts.$inferSelect;

/** The artifacts of an owner, most recently changed first, at most `listedMax`. */
export async function listArtifacts(database: D1Database, ownerId: string): Promise<ArtifactRow[]> {
  return await toDrizzle(database)
    .select()
    .from(artifacts)
    .where(eq(artifacts.ownerId, ownerId))
    .orderBy(desc(artifacts.updatedAt), desc(artifacts.id))
    .limit(listedMax)
    .all();
}

/** An artifact of an owner; null if it has none with this id. */
export async function findArtifact(database: D1Database, ownerId: string, id: string): Promise<ArtifactRow | null> {
  const found = await toDrizzle(database)
    .select()
    .from(artifacts)
    .where(and(eq(artifacts.id, id), eq(artifacts.ownerId, ownerId)))
    .get();
  return found ?? null;
}

export interface ArtifactWrite extends ArtifactNaming, Pick<ArtifactRow, "bodyKey" | "byteSize" | "mediaType"> {
  /** The id of the new row, if the owner has no artifact with this slug. */
  id: string;
  owner: TurnOwner;
  /** The version that its page declares; null to increment. */
  declared: number | null;
  /** Makes the write idempotent: a repeat changes nothing. */
  writeId: string;
  /**
   * The Prototype that it is copied from. A copy overwrites only copies of the same Prototype. Null
   * for an agent's write.
   */
  prototypeId: string | null;
}

export interface WrittenArtifact {
  row: ArtifactRow;
  /**
   * The key of the body that no row refers to any longer: the previous version's, or the new one if
   * the write was a repeat.
   */
  dropped: string | null;
}

const columns = `id, session_id AS ownerId, cron_id AS cronId, slug, title, kind, version, body_key AS bodyKey, media_type AS mediaType,
  byte_size AS byteSize, write_id AS writeId, prototype_id AS prototypeId, created_at AS createdAt, updated_at AS updatedAt`;

/** A copy overwrites only copies of the same Prototype; an agent overwrites anything. */
const mayRewrite = "(?12 IS NULL OR artifacts.prototype_id IS ?12)";

/** The table that contains the owners of each kind. */
const ownerTables: Record<TurnOwner["type"], string> = {
  session: "sessions",
  project: "projects",
  "cron-run": "cron_runs",
};

const upsert = (type: TurnOwner["type"]) => `
  INSERT INTO artifacts (id, session_id, cron_id, slug, title, kind, version, body_key, media_type, byte_size, write_id, prototype_id, created_at, updated_at)
  SELECT ?1, ?2, ?13, ?3, ?4, ?5, coalesce(?6, 1), ?7, ?8, ?9, ?10, ?12, ?11, ?11 FROM ${ownerTables[type]} WHERE id = ?2
    AND (EXISTS (SELECT 1 FROM artifacts WHERE session_id = ?2 AND slug = ?3)
      OR (SELECT count(*) FROM artifacts WHERE session_id = ?2) < ${artifactsMax})
  ON CONFLICT (session_id, slug) DO UPDATE SET
    title = excluded.title, kind = excluded.kind, version = coalesce(?6, artifacts.version + 1), body_key = excluded.body_key,
    media_type = excluded.media_type, byte_size = excluded.byte_size, write_id = excluded.write_id, prototype_id = excluded.prototype_id,
    updated_at = max(excluded.updated_at, artifacts.updated_at)
  WHERE artifacts.write_id <> excluded.write_id AND ${mayRewrite}`;

const ofSlug = "session_id = ?1 AND slug = ?2";

/**
 * Writes an artifact whose body is stored. Returns `full` if the owner already has `artifactsMax`
 * artifacts, and none with this slug. Returns null if the owner is gone, or if a copy may not
 * overwrite the artifact with this slug.
 */
export async function saveArtifact(
  database: D1Database,
  write: ArtifactWrite,
  now: number,
): Promise<WrittenArtifact | "full" | null> {
  const { id, owner, slug, title, kind, declared, bodyKey, mediaType, byteSize, writeId, prototypeId } = write;
  // One transaction: if the Worker dies afterwards, the sweep deletes the replaced body.
  const [before, , , after] = await database.batch<ArtifactRow>([
    database.prepare(`SELECT ${columns} FROM artifacts WHERE ${ofSlug}`).bind(owner.id, slug),
    database
      .prepare(
        `INSERT OR REPLACE INTO objects_in_doubt (key, due_at) SELECT body_key, ?3 FROM artifacts WHERE ${ofSlug}`,
      )
      .bind(owner.id, slug, now),
    database
      .prepare(upsert(owner.type))
      .bind(
        ...[id, owner.id, slug, title, kind, declared, bodyKey, mediaType, byteSize, writeId, now, prototypeId],
        owner.cronId ?? null,
      ),
    database.prepare(`SELECT ${columns} FROM artifacts WHERE ${ofSlug}`).bind(owner.id, slug),
    // The body that the row now refers to is no longer unconfirmed: the new one, or the old one if
    // nothing was written.
    database
      .prepare(`DELETE FROM objects_in_doubt WHERE key = (SELECT body_key FROM artifacts WHERE ${ofSlug})`)
      .bind(owner.id, slug),
    recordSizeStatement(database, { key: bodyKey, bytes: byteSize }),
  ]);
  const row = after?.results[0];
  if (!row && (await hasOwner(database, owner))) return "full";
  if (row?.writeId !== writeId) return null;
  const replaced = row.bodyKey === bodyKey ? (before?.results[0]?.bodyKey ?? null) : bodyKey;
  return { row, dropped: replaced };
}

async function hasOwner(database: D1Database, { type, id }: TurnOwner): Promise<boolean> {
  const row = await database.prepare(`SELECT 1 FROM ${ownerTables[type]} WHERE id = ?1`).bind(id).first();
  return row !== null;
}

/** An artifact of a run, with the run's project. */
export type RunArtifactRow = ArtifactRow & { runId: string; projectId: string; projectName: string };

export interface RunArtifactsQuery {
  cronId: string;
  /** Matches any of these; empty matches all. */
  projectIds: readonly string[];
  kinds: readonly ArtifactRow["kind"][];
  page: number;
  pageSize: number;
}

/**
 * One page of the artifacts of a cron's runs, most recently changed first, and the number of
 * artifacts that match the filters.
 */
export async function listCronArtifacts(
  database: D1Database,
  { cronId, projectIds, kinds, page, pageSize }: RunArtifactsQuery,
): Promise<{ artifacts: RunArtifactRow[]; total: number }> {
  const from = `FROM artifacts a JOIN cron_runs r ON r.id = a.session_id WHERE a.cron_id = ?1
    AND (?2 = '[]' OR r.project_id IN (SELECT value FROM json_each(?2))) AND (?3 = '[]' OR a.kind IN (SELECT value FROM json_each(?3)))`;
  const wanted = [cronId, JSON.stringify(projectIds), JSON.stringify(kinds)];
  const [counted, rows] = await database.batch([
    database.prepare(`SELECT count(*) AS total ${from}`).bind(...wanted),
    database
      .prepare(
        `SELECT a.id, a.session_id AS ownerId, a.session_id AS runId, a.cron_id AS cronId, a.slug, a.title, a.kind, a.version,
           a.body_key AS bodyKey, a.media_type AS mediaType, a.byte_size AS byteSize, a.write_id AS writeId, a.prototype_id AS prototypeId,
           a.created_at AS createdAt, a.updated_at AS updatedAt, r.project_id AS projectId, r.project_name AS projectName
         ${from} ORDER BY a.updated_at DESC, a.id DESC LIMIT ?4 OFFSET ?5`,
      )
      .bind(...wanted, pageSize, (page - 1) * pageSize),
  ]);
  const total = (counted?.results[0] as { total: number } | undefined)?.total ?? 0;
  return { artifacts: (rows?.results ?? []) as unknown as RunArtifactRow[], total };
}

/** Deletes the rows of the artifacts of runs. Idempotent. */
export async function deleteArtifactsOfRuns(database: D1Database, runIds: readonly string[]): Promise<void> {
  await database
    .prepare("DELETE FROM artifacts WHERE session_id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(runIds))
    .run();
}

/** The Prototypes of a project. */
export type PrototypeRow = typeof prototypes.$inferSelect;

/** The Prototypes of a project, newest first, at most `listedMax`. */
export async function listPrototypes(database: D1Database, projectId: string): Promise<PrototypeRow[]> {
  return await toDrizzle(database)
    .select()
    .from(prototypes)
    .where(eq(prototypes.projectId, projectId))
    .orderBy(desc(prototypes.createdAt), desc(prototypes.id))
    .limit(listedMax)
    .all();
}

/** A Prototype of a project; null if the project has none with this id. */
export async function findPrototype(database: D1Database, projectId: string, id: string): Promise<PrototypeRow | null> {
  const found = await toDrizzle(database).select().from(prototypes).where(ofProject(projectId, id)).get();
  return found ?? null;
}

/**
 * Adds a Prototype whose bodies are stored under these keys, and deletes the keys from the
 * unconfirmed objects. False if it is there already.
 */
export async function addPrototype(database: D1Database, row: PrototypeRow, bodyKeys: string[]): Promise<boolean> {
  const db = toDrizzle(database);
  const [added] = await db.batch([
    db.insert(prototypes).values(row).onConflictDoNothing().returning({ id: prototypes.id }),
    db.delete(unconfirmedObjects).where(inArray(unconfirmedObjects.key, bodyKeys)),
  ]);
  return added.length > 0;
}

/** Deletes a Prototype, and records the keys of its bodies as unconfirmed objects. */
export async function deletePrototypeRow(
  database: D1Database,
  { projectId, id }: PrototypeRow,
  bodyKeys: string[],
  now: number,
): Promise<void> {
  const db = toDrizzle(database);
  const unconfirmed = bodyKeys.map((key) => ({ key, dueAt: now }));
  await db.batch([
    db.insert(unconfirmedObjects).values(unconfirmed).onConflictDoNothing(),
    db.delete(prototypes).where(ofProject(projectId, id)),
  ]);
}

const ofProject = (projectId: string, id: string) => and(eq(prototypes.id, id), eq(prototypes.projectId, projectId));
