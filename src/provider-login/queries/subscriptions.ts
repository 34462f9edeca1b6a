// Subscriptions: the logins of a member at a provider. One statement decides each change, so that
// even under concurrent requests there are at most five logins, each place is taken once, and no
// fingerprint occurs twice.
import { and, eq } from "drizzle-orm";
import { users } from "../../account/tables.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { loginsPerProvider } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import { members } from "../../workspace/tables.ts";
import type { LoginName } from "../rules/login.ts";
import type { MemberModels } from "../rules/payer.ts";
import { providerLogins } from "../tables.ts";
import { keptColumns, type StoredLogin, toRowValues } from "./logins.ts";
import { addRevocations } from "./revocations.ts";

export type Connected = "connected" | "duplicate" | "at-limit";

/** The logins of one user at one provider. */
const ofUser = "owner_type = 'member' AND owner_id = ?1 AND provider = ?2";

/**
 * The statement that stores a login after the others, unless the user already has it or the
 * subscription is full. Returns its id.
 */
export function addLast(database: D1Database, { owner, provider, id }: LoginName, login: StoredLogin) {
  return database
    .prepare(
      `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, ${keptColumns})
       SELECT ?3, 'member', ?1, ?2, coalesce(max(place), -1) + 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12
       FROM provider_logins WHERE ${ofUser}
       HAVING count(*) < ?13 AND count(*) FILTER (WHERE fingerprint = ?6) = 0 RETURNING id`,
    )
    .bind(owner.id, provider, id, ...toRowValues(login), loginsPerProvider);
}

/**
 * The statement that stores a login in place of another, unless the user has it elsewhere. Returns
 * its id.
 */
export function saveInPlace(database: D1Database, { owner, provider, id }: LoginName, login: StoredLogin) {
  return database
    .prepare(
      `UPDATE provider_logins SET (${keptColumns}, needs_reauth) = (?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0)
       WHERE ${ofUser} AND id = ?3
         AND NOT EXISTS (SELECT 1 FROM provider_logins o WHERE o.owner_type = 'member' AND o.owner_id = ?1 AND o.provider = ?2
           AND o.fingerprint = ?6 AND o.id <> ?3) RETURNING id`,
    )
    .bind(owner.id, provider, id, ...toRowValues(login));
}

/** Connects a login, after the others. */
export async function connectLogin(database: D1Database, name: LoginName, login: StoredLogin): Promise<Connected> {
  const { owner, provider } = name;
  const [inserted, held] = await database.batch<{ id: string }>([
    addLast(database, name, login),
    database
      .prepare(`SELECT id FROM provider_logins WHERE ${ofUser} AND fingerprint = ?3`)
      .bind(owner.id, provider, login.fingerprint),
  ]);
  if (inserted && inserted.results.length > 0) return "connected";
  return held && held.results.length > 0 ? "duplicate" : "at-limit";
}

/** Stores a login in place of another. */
export async function replaceLogin(
  database: D1Database,
  name: LoginName,
  login: StoredLogin,
): Promise<"connected" | "duplicate" | "unknown"> {
  const { owner, provider, id } = name;
  const [updated, held] = await database.batch<{ id: string }>([
    saveInPlace(database, name, login),
    database.prepare(`SELECT id FROM provider_logins WHERE ${ofUser} AND id = ?3`).bind(owner.id, provider, id),
  ]);
  if (updated && updated.results.length > 0) return "connected";
  return held && held.results.length > 0 ? "duplicate" : "unknown";
}

/** True if the user has the login. */
export async function hasLogin(database: D1Database, { owner, provider, id }: LoginName): Promise<boolean> {
  const query = database.prepare(`SELECT 1 FROM provider_logins WHERE ${ofUser} AND id = ?3`);
  return (await query.bind(owner.id, provider, id).first()) !== null;
}

/**
 * Sets the order of the logins. "incomplete", with nothing changed, unless each login is named
 * exactly once; "same" if they have this order already.
 */
export async function updateLoginOrder(
  database: D1Database,
  userId: string,
  provider: ProviderId,
  ids: readonly string[],
): Promise<"moved" | "same" | "incomplete"> {
  // The new places are all after the old ones, so that no place is taken twice in between.
  const [before, moved] = await database.batch<{ id: string }>([
    database.prepare(`SELECT id FROM provider_logins WHERE ${ofUser} ORDER BY place`).bind(userId, provider),
    database
      .prepare(
        `UPDATE provider_logins SET place = named.place
         FROM (SELECT value AS id, key + 1 + (SELECT coalesce(max(place), 0) FROM provider_logins WHERE ${ofUser}) AS place
           FROM json_each(?3)) AS named
         WHERE ${ofUser} AND provider_logins.id = named.id
           AND json_array_length(?3) = (SELECT count(*) FROM provider_logins WHERE ${ofUser})
           AND json_array_length(?3) = (SELECT count(DISTINCT id) FROM provider_logins
             WHERE ${ofUser} AND id IN (SELECT value FROM json_each(?3)))
         RETURNING id`,
      )
      .bind(userId, provider, JSON.stringify(ids)),
  ]);
  if (before?.results.length !== ids.length || moved?.results.length !== ids.length) return "incomplete";
  return before.results.every(({ id }, place) => id === ids[place]) ? "same" : "moved";
}

/**
 * Disconnects a user's login and queues its tokens for revocation. Null if they have no such login,
 * otherwise how many of its provider are left.
 */
export async function disconnectLogin(
  database: D1Database,
  { owner, provider, id }: LoginName,
): Promise<{ left: number } | null> {
  const which = `${ofUser} AND id = ?3`;
  const [, deleted, left] = await database.batch([
    addRevocations(database, which, [owner.id, provider, id]),
    database.prepare(`DELETE FROM provider_logins WHERE ${which} RETURNING id`).bind(owner.id, provider, id),
    database.prepare(`SELECT id FROM provider_logins WHERE ${ofUser}`).bind(owner.id, provider),
  ]);
  return deleted?.results.length ? { left: left?.results.length ?? 0 } : null;
}

/**
 * Disconnects every login of a user at a provider, and queues their tokens for revocation.
 * False if there is none.
 */
export async function disconnectProvider(database: D1Database, userId: string, provider: ProviderId): Promise<boolean> {
  const [, deleted] = await database.batch([
    addRevocations(database, ofUser, [userId, provider]),
    database.prepare(`DELETE FROM provider_logins WHERE ${ofUser} RETURNING id`).bind(userId, provider),
  ]);
  return (deleted?.results.length ?? 0) > 0;
}

export async function saveDefaultModel(database: D1Database, userId: string, modelId: string | null): Promise<void> {
  await toDrizzle(database).update(users).set({ defaultModel: modelId }).where(eq(users.id, userId)).run();
}

/**
 * An SQL expression for a member's logins and default model as JSON, which decide what runs on
 * their subscriptions. NULL for a user who is not a member. The arguments are SQL expressions too.
 */
export function getMemberModelsSql(workspaceId: string, userId: string): string {
  return `(SELECT json_object('userId', mu.id, 'defaultModel', mu.default_model, 'providers', json((
      SELECT json_group_array(json_object('provider', provider, 'isUsable', json(iif(needs_reauth, 'false', 'true'))))
      FROM (SELECT provider, min(needs_reauth) AS needs_reauth FROM provider_logins
        WHERE owner_type = 'member' AND owner_id = ${userId} GROUP BY provider))))
    FROM members mm JOIN users mu ON mu.id = mm.user_id WHERE mm.workspace_id = ${workspaceId} AND mm.user_id = ${userId})`;
}

/** A member's logins and default model; null for a user who is not a member. */
export async function findMemberModels(
  database: D1Database,
  workspaceId: string,
  userId: string,
): Promise<MemberModels | null> {
  const found = await database
    .prepare(`SELECT ${getMemberModelsSql("?1", "?2")} AS models`)
    .bind(workspaceId, userId)
    .first<string>("models");
  return found === null ? null : JSON.parse(found);
}

/**
 * The query that returns a row if the user is a member of the workspace and has a login of the
 * provider, in any state.
 */
export function findProviderLogin(
  database: D1Database,
  { workspaceId, userId, provider }: { workspaceId: string; userId: string; provider: ProviderId },
) {
  const { ownerType, ownerId, provider: of } = providerLogins;
  return toDrizzle(database)
    .select({ id: providerLogins.id })
    .from(members)
    .innerJoin(providerLogins, and(eq(ownerType, "member"), eq(ownerId, members.userId), eq(of, provider)))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)))
    .limit(1);
}
