// Creates with an Idempotency-Key: sessions and crons. The first request sets the id; its repeats
// get the same id.
import { createId } from "../lib/ids.ts";
import { checkRepeat, getOldestRepeatable, type Idempotency } from "../rules/idempotency.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";

interface Claim extends Idempotency {
  /** The id to use if this is the first request. */
  id: string;
  now: number;
}

/** Deletes up to `atMost` records whose key has expired. */
export async function sweepCreates(database: D1Database, now: number, atMost: number): Promise<void> {
  await database
    .prepare(
      "DELETE FROM session_creates WHERE key IN (SELECT key FROM session_creates WHERE created_at <= ?1 LIMIT ?2)",
    )
    .bind(getOldestRepeatable(now), atMost)
    .run();
}

/** The hash of a reservation. The first request with a body sets another one. */
const noBody = "";

/**
 * Returns the id of what a request creates. Refuses a key that was used with another body. It is
 * one statement, so that concurrent requests get the same id.
 */
export async function claimNewId(database: D1Database, claim: Claim): Promise<{ id: string } | Refusal> {
  const first = await claimId(database, claim);
  return checkRepeat(first, claim) ?? { id: first.id };
}

async function claimId(database: D1Database, { id, now, key, bodyHash }: Claim) {
  const first = await database
    .prepare(
      `INSERT INTO session_creates (key, body_hash, session_id, created_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (key) DO UPDATE SET
         body_hash = iif(created_at <= ?5 OR body_hash = '${noBody}', excluded.body_hash, body_hash),
         session_id = iif(created_at <= ?5, excluded.session_id, session_id),
         created_at = iif(created_at <= ?5, excluded.created_at, created_at)
       RETURNING body_hash AS bodyHash, session_id AS id`,
    )
    .bind(key, bodyHash, id, now, getOldestRepeatable(now))
    .first<{ bodyHash: string; id: string }>();
  // An upsert with RETURNING always returns its row.
  if (!first) throw new Error("The claim of an id returned no row.");
  return first;
}

/**
 * Reserves the id for what a request creates before its body is read, so that files of the body are
 * stored for it. A repeat gets the same one.
 */
export async function claimCreateId(database: D1Database, key: string | null, now: number): Promise<string> {
  const id = createId(now);
  return key === null ? id : (await claimId(database, { key, bodyHash: noBody, id, now })).id;
}

/** Returns the id for what a request creates, the same one for a repeat. */
export async function getCreateId(
  database: D1Database,
  repeat: Idempotency | null,
  now: number,
  id = createId(now),
): Promise<string | Refusal> {
  if (repeat === null) return id;
  const claimed = await claimNewId(database, { ...repeat, id, now });
  return isRefusal(claimed) ? claimed : claimed.id;
}
