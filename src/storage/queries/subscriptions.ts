// Subscriptions: the logins of a member at a provider. One statement decides each change, so that there are five at most, each place is
// taken once, and no fingerprint stands twice, whatever comes at once.
import { eq } from "drizzle-orm";
import { loginsPerProvider } from "../../rules/limits.ts";
import type { LoginName } from "../../rules/model/login.ts";
import type { ProviderId } from "../../rules/model/provider.ts";
import { openD1 } from "../database.ts";
import { users } from "../tables/people.ts";
import type { KeptKey, LoginRow } from "./logins.ts";

/** A key to connect, with the mark that its trial has left. */
export type ConnectedKey = KeptKey & Pick<LoginRow, "exhaustedUntil">;

export type Connected = "connected" | "duplicate" | "at-limit";

/** The logins of one user at one provider. */
const ofUser = "owner_type = 'member' AND owner_id = ?1 AND provider = ?2";

/** Connects a key, behind the other logins. */
export async function connectKey(database: D1Database, name: LoginName, key: ConnectedKey): Promise<Connected> {
  const { owner, provider, id } = name;
  const [inserted, held] = await database.batch<{ id: string }>([
    database
      .prepare(
        `INSERT INTO provider_logins (id, owner_type, owner_id, provider, place, kind, sealed, fingerprint, label, masked_key,
           exhausted_until, authenticated_at)
         SELECT ?3, 'member', ?1, ?2, coalesce(max(place), -1) + 1, 'key', ?4, ?5, ?6, ?7, ?8, ?9 FROM provider_logins WHERE ${ofUser}
         HAVING count(*) < ?10 AND count(*) FILTER (WHERE fingerprint = ?5) = 0 RETURNING id`,
      )
      .bind(
        ...[owner.id, provider, id, key.sealed, key.fingerprint, key.label, key.maskedKey],
        ...[key.exhaustedUntil, key.authenticatedAt, loginsPerProvider],
      ),
    database
      .prepare(`SELECT id FROM provider_logins WHERE ${ofUser} AND fingerprint = ?3`)
      .bind(owner.id, provider, key.fingerprint),
  ]);
  if (inserted && inserted.results.length > 0) return "connected";
  return held && held.results.length > 0 ? "duplicate" : "at-limit";
}

/** Puts a key in the place of a login. */
export async function replaceKey(
  database: D1Database,
  { owner, provider, id }: LoginName,
  key: ConnectedKey,
): Promise<"connected" | "duplicate" | "unknown"> {
  const [updated, held] = await database.batch<{ id: string }>([
    database
      .prepare(
        `UPDATE provider_logins SET kind = 'key', sealed = ?4, fingerprint = ?5, label = ?6, masked_key = ?7, exhausted_until = ?8,
           authenticated_at = ?9, account_email = NULL, expires_at = NULL, needs_reauth = 0
         WHERE ${ofUser} AND id = ?3
           AND NOT EXISTS (SELECT 1 FROM provider_logins o WHERE o.owner_type = 'member' AND o.owner_id = ?1 AND o.provider = ?2
             AND o.fingerprint = ?5 AND o.id <> ?3) RETURNING id`,
      )
      .bind(
        ...[owner.id, provider, id, key.sealed, key.fingerprint, key.label, key.maskedKey],
        ...[key.exhaustedUntil, key.authenticatedAt],
      ),
    database.prepare(`SELECT id FROM provider_logins WHERE ${ofUser} AND id = ?3`).bind(owner.id, provider, id),
  ]);
  if (updated && updated.results.length > 0) return "connected";
  return held && held.results.length > 0 ? "duplicate" : "unknown";
}

/** True if the user holds the login. */
export async function holdsLoginOf(database: D1Database, { owner, provider, id }: LoginName): Promise<boolean> {
  const query = database.prepare(`SELECT 1 FROM provider_logins WHERE ${ofUser} AND id = ?3`);
  return (await query.bind(owner.id, provider, id).first()) !== null;
}

/** Puts the logins in this order. False, with nothing changed, unless it names each of them exactly once. */
export async function orderLogins(
  database: D1Database,
  userId: string,
  provider: ProviderId,
  ids: readonly string[],
): Promise<boolean> {
  // The new places are all behind the old ones, so that no place is taken twice on the way.
  const [moved, rest] = await database.batch<{ id: string }>([
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
    database.prepare(`SELECT id FROM provider_logins WHERE ${ofUser}`).bind(userId, provider),
  ]);
  return moved?.results.length === ids.length && rest?.results.length === ids.length;
}

/** Disconnects a login of a user. Null if they have no such login, else how many are left of its provider. */
export async function disconnectLogin(
  database: D1Database,
  { owner, provider, id }: LoginName,
): Promise<{ left: number } | null> {
  const [deleted, left] = await database.batch([
    database
      .prepare(`DELETE FROM provider_logins WHERE ${ofUser} AND id = ?3 RETURNING id`)
      .bind(owner.id, provider, id),
    database.prepare(`SELECT id FROM provider_logins WHERE ${ofUser}`).bind(owner.id, provider),
  ]);
  return deleted?.results.length ? { left: left?.results.length ?? 0 } : null;
}

/** Disconnects every login of a user at a provider. Idempotent. */
export async function disconnectProvider(database: D1Database, userId: string, provider: ProviderId): Promise<void> {
  await database.prepare(`DELETE FROM provider_logins WHERE ${ofUser}`).bind(userId, provider).run();
}

/** The default model of a user; null for none. */
export async function defaultModelOfUser(database: D1Database, userId: string): Promise<string | null> {
  const { defaultModel } = users;
  return (
    (await openD1(database).select({ defaultModel }).from(users).where(eq(users.id, userId)).get())?.defaultModel ??
    null
  );
}

export async function setDefaultModel(database: D1Database, userId: string, modelId: string | null): Promise<void> {
  await openD1(database).update(users).set({ defaultModel: modelId }).where(eq(users.id, userId)).run();
}
