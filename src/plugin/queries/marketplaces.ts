// The catalog of plugins as it is read from the marketplaces. Each read is claimed by a lease, so
// that two Workers never read the same thing concurrently, and a claim of a dead Worker expires.
import { eq, sql } from "drizzle-orm";
import { marketplaceRefreshMs, unconfirmedObjectMs } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import type { PluginContents } from "../rules/contents.ts";
import type { Marketplace, MarketplaceManifest } from "../rules/offered.ts";
import { marketplaces, plugins } from "../tables.ts";

export type MarketplaceRow = typeof marketplaces.$inferSelect;
export type PluginRow = typeof plugins.$inferSelect;

/** The longest time that a Worker takes to read one marketplace, or one repository of plugins. */
const leaseMs = 2 * 60_000;

const getKey = ({ provider, repository, ref }: Marketplace) => [provider, repository, ref ?? ""].join(" ");

/**
 * Maintains a row for each marketplace of the settings. Marketplaces that left the settings are
 * deleted, with their plugins.
 */
export async function saveMarketplaces(
  database: D1Database,
  listed: readonly Marketplace[],
  now: number,
): Promise<void> {
  const rows = JSON.stringify(listed.map((one) => ({ key: getKey(one), ...one })));
  const gone = (column: string) => `${column} NOT IN (SELECT value ->> 'key' FROM json_each(?1))`;
  await database.batch([
    database
      .prepare(
        `INSERT INTO marketplaces (key, provider, repository, ref, due_at)
         SELECT value ->> 'key', value ->> 'provider', value ->> 'repository', value ->> 'ref', 0 FROM json_each(?1) WHERE true
         ON CONFLICT DO NOTHING`,
      )
      .bind(rows),
    database
      .prepare(
        `INSERT OR REPLACE INTO objects_in_doubt (key, due_at)
         SELECT body_key, ?2 FROM plugins WHERE body_key IS NOT NULL AND ${gone("marketplace_key")}`,
      )
      .bind(rows, now + unconfirmedObjectMs),
    database.prepare(`DELETE FROM plugins WHERE ${gone("marketplace_key")}`).bind(rows),
    database.prepare(`DELETE FROM marketplaces WHERE ${gone("key")}`).bind(rows),
  ]);
}

/** Claims a marketplace that is due; null if none is. */
export async function claimMarketplace(database: D1Database, now: number): Promise<MarketplaceRow | null> {
  const due = sql`(SELECT m.key FROM marketplaces m WHERE m.due_at <= ${now} AND m.leased_until <= ${now} ORDER BY m.due_at LIMIT 1)`;
  const claimed = await toDrizzle(database)
    .update(marketplaces)
    .set({ leasedUntil: now + leaseMs })
    .where(eq(marketplaces.key, due))
    .returning()
    .all();
  return claimed[0] ?? null;
}

/** Ends the reading of a marketplace. */
export async function recordMarketplaceRead(
  database: D1Database,
  { key }: MarketplaceRow,
  settled: { dueAt: number; readCommit?: string },
): Promise<void> {
  await toDrizzle(database)
    .update(marketplaces)
    .set({ ...settled, leasedUntil: 0 })
    .where(eq(marketplaces.key, key));
}

/**
 * Sets the plugins of a marketplace to those of its manifest. Plugins whose source has changed
 * become due.
 */
export async function saveManifest(
  database: D1Database,
  { key, provider }: MarketplaceRow,
  { name: marketplace, plugins: entries }: MarketplaceManifest,
  now: number,
): Promise<void> {
  const rows = entries.map(({ source, parts, ...entry }, place) => ({
    ...entry,
    ...{ id: `${entry.name}@${marketplace}`, place, repository: source?.repository ?? null, path: source?.path ?? "" },
    ...{ ref: source?.ref ?? null, sha: source?.sha ?? null, parts: parts === null ? null : JSON.stringify(parts) },
  }));
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const gone = "marketplace_key = ?1 AND id NOT IN (SELECT value FROM json_each(?2))";
  const isSame = `plugins.source_repository IS excluded.source_repository AND plugins.source_path = excluded.source_path
    AND plugins.source_ref IS excluded.source_ref AND plugins.source_sha IS excluded.source_sha
    AND plugins.entry_parts IS excluded.entry_parts`;
  await database.batch([
    database
      .prepare(
        `INSERT OR REPLACE INTO objects_in_doubt (key, due_at) SELECT body_key, ?3 FROM plugins WHERE body_key IS NOT NULL AND ${gone}`,
      )
      .bind(key, ids, now + unconfirmedObjectMs),
    database.prepare(`DELETE FROM plugins WHERE ${gone}`).bind(key, ids),
    ...inParts(rows).map((part) =>
      database
        .prepare(
          `INSERT INTO plugins (id, marketplace_key, provider, name, marketplace, description, category, author, version, place,
             source_repository, source_path, source_ref, source_sha, entry_parts, refusal, due_at)
           SELECT value ->> 'id', ?1, ?2, value ->> 'name', ?3, value ->> 'description', value ->> 'category', value ->> 'author',
             value ->> 'version', value ->> 'place', value ->> 'repository', value ->> 'path', value ->> 'ref', value ->> 'sha',
             value ->> 'parts', value ->> 'refusal', iif(value ->> 'refusal' IS NULL, 0, NULL)
           FROM json_each(?4) WHERE true
           ON CONFLICT (id) DO UPDATE SET description = excluded.description, category = excluded.category, author = excluded.author,
             version = excluded.version, place = excluded.place, source_repository = excluded.source_repository,
             source_path = excluded.source_path, source_ref = excluded.source_ref, source_sha = excluded.source_sha,
             entry_parts = excluded.entry_parts, read_commit = iif(${isSame}, plugins.read_commit, NULL),
             refusal = iif(excluded.refusal IS NULL AND ${isSame}, plugins.refusal, excluded.refusal),
             due_at = iif(${isSame}, plugins.due_at, excluded.due_at)
           WHERE plugins.marketplace_key = excluded.marketplace_key`,
        )
        .bind(key, provider, marketplace, JSON.stringify(part)),
    ),
  ]);
}

const rowsPerStatement = 200;

function inParts<Row>(rows: readonly Row[]): Row[][] {
  const count = Math.ceil(rows.length / rowsPerStatement);
  return Array.from({ length: count }, (_, part) => rows.slice(part * rowsPerStatement, (part + 1) * rowsPerStatement));
}

/**
 * Claims some due plugins of one source, that is, of one repository at one ref or commit. Empty if
 * none are due.
 */
export async function claimPlugins(database: D1Database, now: number, atMost: number): Promise<PluginRow[]> {
  const { id, sourceRepository, sourceRef, sourceSha, dueAt, leasedUntil } = plugins;
  const due = sql`SELECT p.source_repository, coalesce(p.source_ref, ''), coalesce(p.source_sha, '') FROM plugins p
    WHERE p.due_at <= ${now} AND p.leased_until <= ${now} AND p.source_repository IS NOT NULL ORDER BY p.due_at LIMIT 1`;
  return await toDrizzle(database)
    .update(plugins)
    .set({ leasedUntil: now + leaseMs })
    .where(
      sql`${id} IN (SELECT ${id} FROM ${plugins}
        WHERE (${sourceRepository}, coalesce(${sourceRef}, ''), coalesce(${sourceSha}, '')) = (${due})
          AND ${dueAt} <= ${now} AND ${leasedUntil} <= ${now} ORDER BY ${id} LIMIT ${atMost})`,
    )
    .returning()
    .all();
}

/** The outcome of reading a plugin: its contents in storage, or why it is not offered. */
export type PluginReading =
  | { type: "read"; contents: PluginContents; hash: string; bodyKey: string }
  | { type: "refused"; refusal: string };

/** Saves the outcome of reading a plugin, unless its source has changed meanwhile. */
export async function savePluginReading(
  database: D1Database,
  row: PluginRow,
  readCommit: string,
  reading: PluginReading,
  now: number,
): Promise<void> {
  const { id, sourceSha } = row;
  const read = reading.type === "read" ? reading : null;
  // The files of one commit never change, so they are read once.
  const dueAt = sourceSha === null ? now + marketplaceRefreshMs : null;
  await database.batch([
    database
      .prepare(
        "INSERT OR REPLACE INTO objects_in_doubt (key, due_at) SELECT body_key, ?2 FROM plugins WHERE id = ?1 AND body_key IS NOT NULL",
      )
      .bind(id, now + unconfirmedObjectMs),
    database
      .prepare(
        `UPDATE plugins SET read_commit = ?2, components = ?3, callables = ?4, hash = ?5, body_key = ?6, refusal = ?7, due_at = ?8,
           description = coalesce(description, ?9), author = coalesce(author, ?10), version = coalesce(?11, version), leased_until = 0
         WHERE id = ?1 AND source_repository IS ?12 AND source_path = ?13 AND source_ref IS ?14 AND source_sha IS ?15 AND entry_parts IS ?16`,
      )
      .bind(
        ...[id, readCommit, json(read?.contents.components), json(read?.contents.callables), read?.hash ?? null],
        ...[read?.bodyKey ?? null, reading.type === "refused" ? reading.refusal : null, dueAt],
        ...[read?.contents.description ?? null, read?.contents.author ?? null, read?.contents.version ?? null],
        ...[row.sourceRepository, row.sourcePath, row.sourceRef, sourceSha, json(row.entryParts ?? undefined)],
      ),
    database.prepare("DELETE FROM objects_in_doubt WHERE key = (SELECT body_key FROM plugins WHERE id = ?1)").bind(id),
  ]);
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));

/** Ends the reading of plugins whose files are unchanged, or could not be read this time. */
export async function postponePlugins(database: D1Database, rows: readonly PluginRow[], dueAt: number): Promise<void> {
  await database
    .prepare("UPDATE plugins SET due_at = ?2, leased_until = 0 WHERE id IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify(rows.map(({ id }) => id)), dueAt)
    .run();
}
