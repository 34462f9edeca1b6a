// Stale seals: stored values that are not encrypted, or sealed with another key than the current one. Each query returns a page by row id.
import type { LoginName, LoginOwner } from "../provider-login/rules/login.ts";

export interface Page {
  /** The id of the current key. */
  keyId: string;
  /** The last row of the previous page. */
  after: number;
  atMost: number;
}

interface Row {
  row: number;
}

export interface StaleProject extends Row {
  id: string;
  /** The stored text of the settings. */
  settings: string;
}

/** Projects with values that are not encrypted, or sealed with another key. */
export async function staleProjects(database: D1Database, page: Page): Promise<StaleProject[]> {
  const { results } = await database
    .prepare(
      `SELECT rowid AS row, id, settings FROM projects
       WHERE rowid IN (SELECT rowid FROM projects WHERE settings_key IS NULL
         UNION SELECT rowid FROM projects WHERE settings_key < ?1
         UNION SELECT rowid FROM projects WHERE settings_key > ?1) AND rowid > ?2
       ORDER BY rowid LIMIT ?3`,
    )
    .bind(page.keyId, page.after, page.atMost)
    .all<StaleProject>();
  return results;
}

export type StaleLogin = Row & LoginName;

/** Logins that are sealed with another key. */
export async function staleLogins(database: D1Database, page: Page): Promise<StaleLogin[]> {
  const columns = "id, owner_type AS ownerType, owner_id AS ownerId, provider";
  type Columns = Row & Omit<LoginName, "owner"> & { ownerType: LoginOwner["type"]; ownerId: string };
  const found = await sealedOtherwise<Columns>(database, "provider_logins", columns, page);
  return found.map(({ ownerType, ownerId, ...login }) => ({ ...login, owner: { type: ownerType, id: ownerId } }));
}

/** Deletes the credentials of an earlier version, which a migration has copied to `provider_logins`. */
export async function forgetCarriedOver(database: D1Database): Promise<void> {
  await database.prepare("DELETE FROM workspace_credentials").run();
}

export interface StaleIdentity extends Row {
  userId: string;
}

/** Accounts at the code host whose tokens are sealed with another key. */
export async function staleIdentities(database: D1Database, page: Page): Promise<StaleIdentity[]> {
  return await sealedOtherwise(database, "code_host_identities", "user_id AS userId", page);
}

/** A sealed text starts with the id of its key and a dot. */
async function sealedOtherwise<Found>(
  database: D1Database,
  table: string,
  columns: string,
  { keyId, after, atMost }: Page,
): Promise<Found[]> {
  const { results } = await database
    .prepare(
      `SELECT rowid AS row, ${columns} FROM ${table}
       WHERE substr(sealed, 1, length(?1)) <> ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3`,
    )
    .bind(`${keyId}.`, after, atMost)
    .all<Found>();
  return results;
}
