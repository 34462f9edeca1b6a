// Connected agents: the keys of kind `client`. The key of one is its current access token, of which
// only the hash is stored, as of its refresh token. A refresh replaces both.
import { eq, lt } from "drizzle-orm";
import type { Scope } from "../access/rules/scope.ts";
import { getKeyHash } from "../lib/base64url.ts";
import { createId, createSecret } from "../lib/ids.ts";
import { accessTokenMs, authorizationCodeMs, connectedAgentsMax, refreshTokenMs, widenMs } from "../rules/limits.ts";
import { toDrizzle } from "../storage/database.ts";
import { getRedirectTarget } from "./rules/redirect.ts";
import { oauthCodes } from "./tables.ts";

export interface ConnectedAgent {
  id: string;
  name: string;
  redirectHost: string;
  scopes: Scope[];
  workspaceId: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
}

export interface Tokens {
  accessToken: string;
  refreshToken: string;
  scopes: Scope[];
}

/** A key that was revoked. */
export interface Revoked {
  keyId: string;
  userId: string;
  /** What its program calls itself. */
  name: string;
}

const revokedColumns = "id AS keyId, user_id AS userId, name";

/** How long a used code is kept, so that its second use is recognized. */
const codeKeptMs = 24 * 3_600_000;

/** Issues a code for what a person allowed. */
export async function issueCode(
  database: D1Database,
  allowed: Omit<typeof oauthCodes.$inferInsert, "hash" | "keyId" | "expiresAt" | "usedAt">,
  now: number,
): Promise<{ code: string; keyId: string }> {
  const code = createSecret("svc_cod_");
  const keyId = createId(now);
  const row = { ...allowed, hash: await getKeyHash(code), keyId, expiresAt: now + authorizationCodeMs };
  const db = toDrizzle(database);
  await db.batch([
    db.delete(oauthCodes).where(lt(oauthCodes.expiresAt, now - codeKeptMs)),
    db.insert(oauthCodes).values(row),
  ]);
  return { code, keyId };
}

type CodeRow = typeof oauthCodes.$inferSelect;

/** The code with this hash; null if there is none. */
export async function findCode(database: D1Database, hash: string): Promise<CodeRow | null> {
  return (await toDrizzle(database).select().from(oauthCodes).where(eq(oauthCodes.hash, hash)).get()) ?? null;
}

/** Marks a code as used, and revokes the key that it became. Null if there is no such key. */
export async function endCode(database: D1Database, { hash, keyId }: CodeRow, now: number): Promise<Revoked | null> {
  const [, deleted] = await database.batch<Revoked>([
    database.prepare("UPDATE oauth_codes SET used_at = coalesce(used_at, ?2) WHERE hash = ?1").bind(hash, now),
    database.prepare(`DELETE FROM keys WHERE id = ?1 AND kind = 'client' RETURNING ${revokedColumns}`).bind(keyId),
  ]);
  return deleted?.results[0] ?? null;
}

interface NewTokens extends Tokens {
  hash: string;
  family: string;
  refreshHash: string;
}

/**
 * New tokens. All refresh tokens of a key begin with the same secret, by which an old one is
 * recognized, and which nobody knows who never held one.
 */
async function createTokens(scopes: Scope[], familySecret: string): Promise<NewTokens> {
  const accessToken = createSecret("svc_cli_");
  const refreshToken = `${familySecret}.${createSecret()}`;
  const [hash, family, refreshHash] = await Promise.all([accessToken, familySecret, refreshToken].map(getKeyHash));
  return { accessToken, refreshToken, scopes, hash: hash ?? "", family: family ?? "", refreshHash: refreshHash ?? "" };
}

/**
 * Issues the tokens of a code, and marks it as used, in one transaction. An earlier key of the same
 * client and person ends, because the client replaces its tokens. Null if the code was used, or the
 * person is no longer there, or no longer in the workspace.
 */
export async function issueTokens(database: D1Database, code: CodeRow, now: number): Promise<Tokens | null> {
  const tokens = await createTokens(code.scopes, createSecret("svc_ref_"));
  const { hash, family, refreshHash, accessToken, refreshToken, scopes } = tokens;
  const client = {
    ...{ clientHash: code.clientHash, redirectHost: getRedirectTarget(code.redirectUri).name },
    ...{ refreshHash, endsAt: now + refreshTokenMs },
  };
  const isNew = "EXISTS (SELECT 1 FROM keys n WHERE n.hash = ?1)";
  const ofUser = "kind = 'client' AND user_id = ?2";
  const [, , , used] = await database.batch([
    database
      .prepare(
        `INSERT INTO keys (hash, id, kind, user_id, workspace_id, name, last_four, created_at, expires_at, scopes, client, refresh_family)
         SELECT ?2, c.key_id, 'client', c.user_id, c.workspace_id, c.client_name, ?3, ?4, ?5, c.scopes, ?6, ?7 FROM oauth_codes c
         JOIN users u ON u.id = c.user_id AND u.deleted_at IS NULL
         WHERE c.hash = ?1 AND c.used_at IS NULL AND (c.workspace_id IS NULL
           OR EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = c.workspace_id AND m.user_id = c.user_id))`,
      )
      .bind(code.hash, hash, accessToken.slice(-4), now, now + accessTokenMs, JSON.stringify(client), family),
    database
      .prepare(`DELETE FROM keys WHERE ${ofUser} AND hash <> ?1 AND client ->> '$.clientHash' = ?3 AND ${isNew}`)
      .bind(hash, code.userId, code.clientHash),
    database
      .prepare(
        `DELETE FROM keys WHERE ${ofUser} AND ${isNew} AND (client ->> '$.endsAt' <= ?3
           OR id NOT IN (SELECT id FROM keys WHERE ${ofUser} ORDER BY created_at DESC, id DESC LIMIT ${connectedAgentsMax}))`,
      )
      .bind(hash, code.userId, now),
    database
      .prepare(`UPDATE oauth_codes SET used_at = ?3 WHERE hash = ?2 AND used_at IS NULL AND ${isNew} RETURNING hash`)
      .bind(hash, code.hash, now),
  ]);
  return used !== undefined && used.results.length > 0 ? { accessToken, refreshToken, scopes } : null;
}

/** Records that an agent called a tool beyond its scopes. Its next refreshes are refused. */
export async function recordScopeNeed(database: D1Database, keyId: string, now: number): Promise<void> {
  await database
    .prepare(
      "UPDATE keys SET client = json_set(json_remove(client, '$.hasRefused'), '$.widensUntil', ?2) WHERE id = ?1 AND kind = 'client'",
    )
    .bind(keyId, now + widenMs)
    .run();
}

/**
 * Replaces the tokens of a key. A refresh token that was replaced before, or that another client
 * sends, revokes the key, because somebody else may hold it. Null for an unknown token. After a
 * call beyond the scopes, changes no token, twice: some clients refresh then, and ask the person
 * only if that is refused. Of these, some keep their refresh token and try it again first.
 */
export async function updateTokens(
  database: D1Database,
  { refreshToken, clientHash }: { refreshToken: string; clientHash: string },
  now: number,
): Promise<Tokens | { revoked: Revoked; isExpired: boolean } | "needs-consent" | "still-needs-consent" | null> {
  const [familySecret = ""] = refreshToken.split(".");
  const [family, refreshHash] = await Promise.all([getKeyHash(familySecret), getKeyHash(refreshToken)]);
  const next = await createTokens([], familySecret);
  const current = [family, refreshHash, clientHash, now];
  const isCurrent = `kind = 'client' AND refresh_family = ?1 AND client ->> '$.refreshHash' = ?2
    AND client ->> '$.clientHash' = ?3 AND client ->> '$.endsAt' > ?4`;
  const widens = "coalesce(client ->> '$.widensUntil', 0) > ?4";
  const [replaced, refused] = await database.batch<{ scopes: string; hasRefused: number | null }>([
    database
      .prepare(
        `UPDATE keys SET hash = ?5, last_four = ?6, expires_at = ?7, client = json_set(client, '$.refreshHash', ?8, '$.endsAt', ?9)
         WHERE ${isCurrent} AND NOT ${widens} RETURNING scopes`,
      )
      .bind(
        ...[...current, next.hash, next.accessToken.slice(-4), now + accessTokenMs],
        ...[next.refreshHash, now + refreshTokenMs],
      ),
    database
      .prepare(
        `UPDATE keys SET client = CASE WHEN client ->> '$.hasRefused' THEN json_remove(client, '$.widensUntil', '$.hasRefused')
           ELSE json_set(client, '$.hasRefused', json('true')) END
         WHERE ${isCurrent} AND ${widens} RETURNING client ->> '$.hasRefused' AS hasRefused`,
      )
      .bind(...current),
  ]);
  const [changed] = replaced?.results ?? [];
  if (changed)
    return { accessToken: next.accessToken, refreshToken: next.refreshToken, scopes: JSON.parse(changed.scopes) };
  const [held] = refused?.results ?? [];
  if (held) return held.hasRefused === null ? "still-needs-consent" : "needs-consent";
  const revoked = await revokeFamily(database, family);
  const isExpired = revoked?.refreshHash === refreshHash && revoked?.clientHash === clientHash;
  return revoked && { revoked, isExpired };
}

/** Revokes the key of a refresh token, whether that is the current one or an old one. */
async function revokeFamily(database: D1Database, family: string) {
  return await database
    .prepare(
      `DELETE FROM keys WHERE kind = 'client' AND refresh_family = ?1
       RETURNING ${revokedColumns}, client ->> '$.refreshHash' AS refreshHash, client ->> '$.clientHash' AS clientHash`,
    )
    .bind(family)
    .first<Revoked & { refreshHash: string; clientHash: string }>();
}

/** Revokes the key of an access token or a refresh token. Null for an unknown token. */
export async function revokeToken(database: D1Database, token: string): Promise<Revoked | null> {
  const [familySecret = ""] = token.split(".");
  if (familySecret !== token) return await revokeFamily(database, await getKeyHash(familySecret));
  return await database
    .prepare(`DELETE FROM keys WHERE kind = 'client' AND hash = ?1 RETURNING ${revokedColumns}`)
    .bind(await getKeyHash(token))
    .first<Revoked>();
}

/** The connected agents of a person, oldest first. */
export async function listConnectedAgents(
  database: D1Database,
  userId: string,
  now: number,
): Promise<ConnectedAgent[]> {
  const { results } = await database
    .prepare(
      `SELECT id, name, client ->> '$.redirectHost' AS redirectHost, scopes, workspace_id AS workspaceId, created_at AS createdAt,
         last_used_at AS lastUsedAt, client ->> '$.endsAt' AS expiresAt FROM keys
       WHERE kind = 'client' AND user_id = ?1 AND client ->> '$.endsAt' > ?2 ORDER BY created_at, id`,
    )
    .bind(userId, now)
    .all<Omit<ConnectedAgent, "scopes"> & { scopes: string }>();
  return results.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) }));
}
