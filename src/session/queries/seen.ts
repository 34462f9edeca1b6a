// What people have seen of the reasons why sessions need somebody.

export interface SeenMark {
  sessionId: string;
  userId: string;
  /** The time at which the reason began that the person has seen. */
  since: number;
}

/**
 * Stores a mark. False if it changes nothing: a newer one is stored, the present reason began
 * later, or the session was deleted. Idempotent.
 */
export async function saveSeenMark(database: D1Database, { sessionId, userId, since }: SeenMark): Promise<boolean> {
  const saved = await database
    .prepare(
      `INSERT INTO session_seen (session_id, user_id, since)
       SELECT s.id, ?2, ?3 FROM sessions s
       WHERE s.id = ?1 AND (s.needs_you IS NULL OR coalesce(s.needs_you_since, s.updated_at) <= ?3)
       ON CONFLICT (session_id, user_id) DO UPDATE SET since = excluded.since WHERE excluded.since > since
       RETURNING since`,
    )
    .bind(sessionId, userId, since)
    .first();
  return saved !== null;
}
