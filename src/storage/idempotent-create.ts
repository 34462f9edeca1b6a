// Creates with an Idempotency-Key. The first request sets the id; its repeats get the same id, and
// what was deleted since is not created again.
import { createId } from "../lib/ids.ts";
import { checkRepeat, getOldestRepeatable, type Idempotency } from "../rules/idempotency.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";

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

interface CreateClaim {
  id: string;
  /** 1 once it has been created. */
  isCreated: number;
}

/**
 * Returns the id of what a request creates, and whether it has been created. Refuses a key that was
 * used with another body. It is one statement, so that concurrent requests get the same id.
 */
export async function claimId(database: D1Database, claim: Claim): Promise<CreateClaim | Refusal> {
  const first = await upsertClaim(database, claim);
  return checkRepeat(first, claim) ?? first;
}

async function upsertClaim(database: D1Database, { id, now, key, bodyHash }: Claim) {
  const first = await database
    .prepare(
      `INSERT INTO session_creates (key, body_hash, session_id, created_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (key) DO UPDATE SET
         body_hash = iif(created_at <= ?5 OR body_hash = '${noBody}', excluded.body_hash, body_hash),
         session_id = iif(created_at <= ?5, excluded.session_id, session_id),
         is_created = iif(created_at <= ?5, 0, is_created),
         created_at = iif(created_at <= ?5, excluded.created_at, created_at)
       RETURNING body_hash AS bodyHash, session_id AS id, is_created AS isCreated`,
    )
    .bind(key, bodyHash, id, now, getOldestRepeatable(now))
    .first<CreateClaim & { bodyHash: string }>();
  // An upsert with RETURNING always returns its row.
  if (!first) throw new Error("The claim of an id returned no row.");
  return first;
}

/**
 * Reserves the id for what a request creates before its body is read, so that files of the body are
 * stored for it. A repeat gets the same one.
 */
export async function claimIdBeforeBody(database: D1Database, key: string | null, now: number): Promise<string> {
  const id = createId(now);
  return key === null ? id : (await upsertClaim(database, { key, bodyHash: noBody, id, now })).id;
}

/** Returns the id for what a request creates, the same one for a repeat. */
export async function getClaimedId(
  database: D1Database,
  repeat: Idempotency | null,
  now: number,
  id = createId(now),
): Promise<string | Refusal> {
  if (repeat === null) return id;
  const claimed = await claimId(database, { ...repeat, id, now });
  return isRefusal(claimed) ? claimed : claimed.id;
}

/**
 * What the first request with a key has created, for a repeat that a check refuses. What it is
 * checked against may have changed since. Null if nothing was created, or it is not there.
 */
export async function findCreated<Result>(
  database: D1Database,
  { repeat, now }: { repeat: Idempotency | null; now: number },
  find: (id: string) => Promise<Result | Refusal | null>,
): Promise<Result | Refusal | null> {
  if (repeat === null) return null;
  const first = await database
    .prepare(
      `SELECT body_hash AS bodyHash, session_id AS id FROM session_creates
       WHERE key = ?1 AND created_at > ?2 AND body_hash <> '${noBody}'`,
    )
    .bind(repeat.key, getOldestRepeatable(now))
    .first<{ bodyHash: string; id: string }>();
  return first && (checkRepeat(first, repeat) ?? (await find(first.id)));
}

interface Creation<Result> {
  /** What an earlier request has created under the id; null if it is not there. */
  find(id: string): Promise<Result | Refusal | null>;
  /** Null if a concurrent request has created it. */
  create(id: string): Promise<Result | Refusal | null>;
}

/** Creates something, or returns what the first request with the same key has created. */
export async function createIdempotently<Result extends object>(
  database: D1Database,
  { repeat, now }: { repeat: Idempotency | null; now: number },
  { find, create }: Creation<Result>,
): Promise<Result | Refusal> {
  const id = createId(now);
  if (repeat === null) return (await create(id)) ?? deletedSince;
  const claim = await claimId(database, { ...repeat, id, now });
  if (isRefusal(claim)) return claim;
  const known = await find(claim.id);
  if (known) return known;
  if (claim.isCreated === 1) return deletedSince;
  const created = await create(claim.id);
  // After a refusal too: a concurrent request may have taken the last place.
  if (created === null || isRefusal(created)) return (await find(claim.id)) ?? created ?? deletedSince;
  await database.prepare("UPDATE session_creates SET is_created = 1 WHERE key = ?1").bind(repeat.key).run();
  return created;
}

const deletedSince = refuse(
  "NOT_FOUND",
  "What this Idempotency-Key created was deleted. Use another key to create it again.",
);
