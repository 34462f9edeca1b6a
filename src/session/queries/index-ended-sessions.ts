// Ended sessions whose sandbox may still have saved work.

/**
 * The sandboxes of sessions that ended between two times, and of those that ended before and still keep a base, in the order of their
 * keys, after one. Times are in milliseconds since the epoch.
 */
export async function sandboxesOfEnded(
  database: D1Database,
  { from, to }: { from: number; to: number },
  after: string,
  limit: number,
): Promise<string[]> {
  const { results } = await database
    .prepare(
      `SELECT sandbox_key AS key FROM sessions WHERE ended_at >= ?1 AND ended_at < ?2 AND +sandbox_key > ?3
       UNION
       SELECT u.sandbox_key FROM base_users u CROSS JOIN sessions s ON s.sandbox_key = u.sandbox_key
       WHERE s.ended_at < ?1 AND u.sandbox_key > ?3
       ORDER BY 1 LIMIT ?4`,
    )
    // From the bases in use on, which are fewer than all sessions that ever ended.
    .bind(from, to, after, limit)
    .all<{ key: string }>();
  return results.map(({ key }) => key);
}
