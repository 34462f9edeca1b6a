// Sessions that are created with an Idempotency-Key. The first request sets the session's id; its repeats get the same id.
import { checkRepeat, type Idempotency, oldestRepeatable } from "../../rules/idempotency.ts";
import type { Refusal } from "../../rules/refusal.ts";

interface Claim extends Idempotency {
  /** The id to use if this is the first request. */
  sessionId: string;
  now: number;
}

/** Deletes up to `atMost` records whose key has expired. */
export async function sweepSessionCreates(database: D1Database, now: number, atMost: number): Promise<void> {
  await database
    .prepare(
      "DELETE FROM session_creates WHERE key IN (SELECT key FROM session_creates WHERE created_at <= ?1 LIMIT ?2)",
    )
    .bind(oldestRepeatable(now), atMost)
    .run();
}

/** Returns the session id of a request. Refuses a key that was used with another body. One statement, so concurrent requests get the same id. */
export async function claimSessionId(
  database: D1Database,
  { sessionId, now, ...repeat }: Claim,
): Promise<{ sessionId: string } | Refusal> {
  const first = await database
    .prepare(
      `INSERT INTO session_creates (key, body_hash, session_id, created_at) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (key) DO UPDATE SET
         body_hash = iif(created_at <= ?5, excluded.body_hash, body_hash),
         session_id = iif(created_at <= ?5, excluded.session_id, session_id),
         created_at = iif(created_at <= ?5, excluded.created_at, created_at)
       RETURNING body_hash AS bodyHash, session_id AS sessionId`,
    )
    .bind(repeat.key, repeat.bodyHash, sessionId, now, oldestRepeatable(now))
    .first<{ bodyHash: string; sessionId: string }>();
  // An upsert with RETURNING always returns its row.
  if (!first) throw new Error("The claim of a session's id returned no row.");
  return checkRepeat(first, repeat) ?? { sessionId: first.sessionId };
}
