// Sign-ins from a terminal. Each ends after a few minutes; a new one deletes those that have ended.
import { and, eq, gt, isNull, lte } from "drizzle-orm";
import { getKeyHash } from "../../lib/base64url.ts";
import { createSecret } from "../../lib/ids.ts";
import { deviceSignInMs, keysMax } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import { formatUserCode } from "../rules/device-sign-in.ts";
import { deviceSignIns } from "../tables.ts";
import { createKey } from "./keys.ts";

export type DeviceSignIn = typeof deviceSignIns.$inferSelect;

/** How long an ended sign-in is kept, so that a late terminal learns that it has ended. */
const keptMs = 24 * 3_600_000;

/** Starts a sign-in. Returns its token, which is not stored. */
export async function startDeviceSignIn(
  database: D1Database,
  asked: Pick<DeviceSignIn, "client" | "name" | "address">,
  now: number,
): Promise<{ token: string; userCode: string; expiresAt: number }> {
  const token = createSecret("svc_dev_");
  const userCode = createUserCode();
  const expiresAt = now + deviceSignInMs;
  const row = { ...asked, tokenHash: await getKeyHash(token), userCode, createdAt: now, expiresAt };
  const db = toDrizzle(database);
  await db.batch([
    db.delete(deviceSignIns).where(lte(deviceSignIns.expiresAt, now - keptMs)),
    db.insert(deviceSignIns).values(row),
  ]);
  return { token, userCode, expiresAt };
}

function createUserCode(): string {
  for (;;) {
    const code = formatUserCode(crypto.getRandomValues(new Uint8Array(16)));
    if (code !== null) return code;
  }
}

/** The sign-in with this hash of its token; null if there is none. */
export async function findDeviceSignIn(database: D1Database, tokenHash: string): Promise<DeviceSignIn | null> {
  const ofToken = eq(deviceSignIns.tokenHash, tokenHash);
  return (await toDrizzle(database).select().from(deviceSignIns).where(ofToken).get()) ?? null;
}

const isOpen = (userCode: string, now: number) =>
  and(eq(deviceSignIns.userCode, userCode), gt(deviceSignIns.expiresAt, now), isNull(deviceSignIns.outcome));

/** The sign-in with this code on which nobody has decided yet; null if there is none. */
export async function findOpenDevice(
  database: D1Database,
  userCode: string,
  now: number,
): Promise<DeviceSignIn | null> {
  return (await toDrizzle(database).select().from(deviceSignIns).where(isOpen(userCode, now)).get()) ?? null;
}

/** Records a person's decision. Null if the sign-in has ended, or somebody has decided already. */
export async function updateDeviceOutcome(
  database: D1Database,
  userCode: string,
  decision: { outcome: "approved" | "denied"; userId: string; keyLifetimeMs: number | null },
  now: number,
): Promise<DeviceSignIn | null> {
  const changed = toDrizzle(database).update(deviceSignIns).set(decision).where(isOpen(userCode, now));
  return (await changed.returning().get()) ?? null;
}

/**
 * Issues the key of an approved sign-in, and marks it as fetched, in one transaction. There is no
 * key if a concurrent request was first, the person was deleted, or they have `keysMax`.
 * `isFetched` is true if this or the other request issued it.
 */
export async function issueDeviceKey(
  database: D1Database,
  { tokenHash, name, keyLifetimeMs, userId }: DeviceSignIn,
  now: number,
): Promise<{ token: string | null; isFetched: boolean }> {
  const expiresAt = keyLifetimeMs === null ? null : now + keyLifetimeMs;
  const { token, row } = await createKey({ kind: "api-key", name, userId, expiresAt }, now);
  const [, issued, sought] = await database.batch([
    database
      .prepare(
        `INSERT INTO keys (hash, id, kind, user_id, name, last_four, created_at, expires_at)
         SELECT ?2, ?3, 'api-key', d.user_id, d.name, ?4, ?5, ?6 FROM device_sign_ins d
         JOIN users u ON u.id = d.user_id AND u.deleted_at IS NULL WHERE d.token_hash = ?1 AND d.outcome = 'approved'
           AND (SELECT count(*) FROM keys k WHERE k.user_id = d.user_id AND k.kind = 'api-key') < ?7`,
      )
      .bind(tokenHash, row.hash, row.id, row.lastFour, now, expiresAt, keysMax),
    database
      .prepare(
        `UPDATE device_sign_ins SET outcome = 'fetched' WHERE token_hash = ?1 AND outcome = 'approved'
           AND EXISTS (SELECT 1 FROM keys WHERE hash = ?2) RETURNING token_hash`,
      )
      .bind(tokenHash, row.hash),
    database.prepare("SELECT 1 FROM device_sign_ins WHERE token_hash = ?1 AND outcome = 'fetched'").bind(tokenHash),
  ]);
  return { token: issued?.results.length ? token : null, isFetched: Boolean(sought?.results.length) };
}
