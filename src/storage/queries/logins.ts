// The sealed credentials of logins. The sealed text of tokens says which ones they are: it is another one after each refresh.
import { and, eq } from "drizzle-orm";
import type { LoginName } from "../../rules/model/login.ts";
import { openD1 } from "../database.ts";
import { workspaceCredentials } from "../tables/logins.ts";

export type SealedCredential = Pick<
  typeof workspaceCredentials.$inferSelect,
  "kind" | "sealed" | "expiresAt" | "needsReauth"
>;

/** The sealed credential of a login; null where nobody holds it. */
export async function findCredential(database: D1Database, name: LoginName): Promise<SealedCredential | null> {
  const { kind, sealed, expiresAt, needsReauth } = workspaceCredentials;
  const found = await openD1(database)
    .select({ kind, sealed, expiresAt, needsReauth })
    .from(workspaceCredentials)
    .where(named(name))
    .get();
  return found ?? null;
}

/** Puts new tokens, or the mark that there are no more, in the place of what was read; does nothing when something else stands there by now. */
export async function replaceCredential(
  database: D1Database,
  name: LoginName,
  read: Pick<SealedCredential, "sealed">,
  changes: Partial<Pick<SealedCredential, "sealed" | "expiresAt" | "needsReauth">>,
): Promise<void> {
  await openD1(database)
    .update(workspaceCredentials)
    .set(changes)
    .where(and(named(name), eq(workspaceCredentials.sealed, read.sealed)));
}

export type CredentialRow = typeof workspaceCredentials.$inferSelect;

/** The credentials of a workspace. */
export function credentialsOf(database: D1Database, workspaceId: string): Promise<CredentialRow[]> {
  return openD1(database)
    .select()
    .from(workspaceCredentials)
    .where(eq(workspaceCredentials.workspaceId, workspaceId))
    .all();
}

/** Puts a credential in the place of what the workspace held for its provider. Does nothing if the workspace is gone. */
export async function putCredential(database: D1Database, row: CredentialRow): Promise<void> {
  await database
    .prepare(
      `INSERT INTO workspace_credentials (workspace_id, provider, kind, sealed, last_four, masked_key, expires_at, needs_reauth, created_at)
       SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM workspaces WHERE id = ?1
       ON CONFLICT (workspace_id, provider) DO UPDATE SET kind = excluded.kind, sealed = excluded.sealed,
         last_four = excluded.last_four, masked_key = excluded.masked_key, expires_at = excluded.expires_at,
         needs_reauth = excluded.needs_reauth, created_at = excluded.created_at`,
    )
    .bind(
      row.workspaceId,
      row.provider,
      row.kind,
      row.sealed,
      row.lastFour,
      row.maskedKey,
      row.expiresAt,
      row.needsReauth ? 1 : 0,
      row.createdAt,
    )
    .run();
}

/** Deletes the credential of a workspace at a provider. Idempotent. */
export async function deleteCredential(database: D1Database, name: LoginName): Promise<void> {
  await openD1(database).delete(workspaceCredentials).where(named(name)).run();
}

/** The table has one row for each workspace and provider. */
function named({ owner, provider }: LoginName) {
  return and(eq(workspaceCredentials.workspaceId, owner.id), eq(workspaceCredentials.provider, provider));
}
