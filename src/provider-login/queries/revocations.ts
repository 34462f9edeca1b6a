// Tokens of ended sign-ins that wait for revocation. They are stored in the transaction that ends
// the login, so that none is lost.
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { toDrizzle } from "../../storage/database.ts";
import type { LoginName } from "../rules/login.ts";
import { tokenRevocations } from "../tables.ts";

export type RevocationRow = typeof tokenRevocations.$inferSelect;

/**
 * The statement that stores the tokens of logins for their revocation. `which` is a condition of
 * `provider_logins`, with its parameters.
 */
export function addRevocations(
  database: D1Database,
  which: string,
  parameters: readonly (string | null)[],
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO token_revocations (id, owner_type, owner_id, provider, login_id, sealed, due_at)
       SELECT lower(hex(randomblob(16))), owner_type, owner_id, provider, id, sealed, 0 FROM provider_logins
       WHERE kind = 'login' AND (${which})`,
    )
    .bind(...parameters);
}

/**
 * The statement that stores tokens for their revocation if their login no longer exists. A
 * workspace's login keeps its id when another account replaces it, so `fingerprint` names the
 * account of the tokens, if it is known.
 */
export function addRevocationIfGone(
  database: D1Database,
  { owner, provider, id }: LoginName,
  sealed: string,
  fingerprint: string | null,
): D1PreparedStatement {
  return database
    .prepare(
      `INSERT INTO token_revocations (id, owner_type, owner_id, provider, login_id, sealed, due_at)
       SELECT lower(hex(randomblob(16))), ?1, ?2, ?3, ?4, ?5, 0
       WHERE NOT EXISTS (SELECT 1 FROM provider_logins WHERE id = ?4 AND (?6 IS NULL OR fingerprint = ?6))`,
    )
    .bind(owner.type, owner.id, provider, id, sealed, fingerprint);
}

/** Takes due revocations and sets their next attempt, so that nobody else takes them meanwhile. */
export async function claimDueRevocations(
  database: D1Database,
  { now, nextTryMs, limit }: { now: number; nextTryMs: number; limit: number },
): Promise<RevocationRow[]> {
  const { id, dueAt, tries } = tokenRevocations;
  const db = toDrizzle(database);
  const due = db.select({ id }).from(tokenRevocations).where(lte(dueAt, now)).orderBy(asc(dueAt)).limit(limit);
  return await db
    .update(tokenRevocations)
    .set({ tries: sql`${tries} + 1`, dueAt: now + nextTryMs })
    .where(and(inArray(id, due), lte(dueAt, now)))
    .returning()
    .all();
}

/** Deletes a revocation that is done or abandoned. Idempotent. */
export async function deleteRevocation(database: D1Database, id: string): Promise<void> {
  await toDrizzle(database).delete(tokenRevocations).where(eq(tokenRevocations.id, id));
}
