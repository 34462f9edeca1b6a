// The secrets of projects that no sandbox contains, in D1.
import { and, asc, eq, sql } from "drizzle-orm";
import { toDrizzle } from "../../storage/database.ts";
import { networkSecrets } from "../tables.ts";

export type SecretRow = typeof networkSecrets.$inferSelect;

const isNamed = ({ projectId, name }: Pick<SecretRow, "projectId" | "name">) =>
  and(eq(networkSecrets.projectId, projectId), eq(networkSecrets.name, name));

/** Lists the secrets of a project by name. */
export async function listSecretRows(database: D1Database, projectId: string): Promise<SecretRow[]> {
  return await toDrizzle(database)
    .select()
    .from(networkSecrets)
    .where(eq(networkSecrets.projectId, projectId))
    .orderBy(asc(networkSecrets.name))
    .all();
}

/**
 * Stores a secret, or replaces everything but the placeholder of the one with its name. Null if the
 * project has `atMost` others, or no longer exists.
 */
export async function writeSecret(database: D1Database, row: SecretRow, atMost: number): Promise<SecretRow | null> {
  const { projectId, name, sealed, onlyTo, as, placeholder, createdAt, updatedAt } = row;
  const stored = await database
    .prepare(
      `INSERT INTO network_secrets (project_id, name, sealed, only_to, "as", placeholder, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
       WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = ?1)
         AND (SELECT count(*) FROM network_secrets s WHERE s.project_id = ?1 AND s.name <> ?2) < ?9
       ON CONFLICT (project_id, name) DO UPDATE SET
         sealed = excluded.sealed, only_to = excluded.only_to, "as" = excluded."as", updated_at = excluded.updated_at
       RETURNING placeholder, created_at AS createdAt`,
    )
    .bind(projectId, name, sealed, JSON.stringify(onlyTo), as, placeholder, createdAt, updatedAt, atMost)
    .first<Pick<SecretRow, "placeholder" | "createdAt">>();
  return stored && { ...row, ...stored };
}

/** Deletes a secret. False if there is none. */
export async function deleteSecret(
  database: D1Database,
  secret: Pick<SecretRow, "projectId" | "name">,
): Promise<boolean> {
  const deleted = await toDrizzle(database)
    .delete(networkSecrets)
    .where(isNamed(secret))
    .returning({ name: sql`1` })
    .all();
  return deleted.length > 0;
}

/** Replaces the sealed value that was read with a resealed one. */
export async function updateSealedSecret(
  database: D1Database,
  { from, to, ...secret }: Pick<SecretRow, "projectId" | "name"> & { from: string; to: string },
): Promise<void> {
  await toDrizzle(database)
    .update(networkSecrets)
    .set({ sealed: to })
    .where(and(isNamed(secret), eq(networkSecrets.sealed, from)));
}
