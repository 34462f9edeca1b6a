// Ended sessions whose sandbox may still have saved work.

/**
 * The sandboxes of sessions that ended between two times, and of those that ended before and still keep a base. Times are in milliseconds since
 * the epoch.
 */
export async function sandboxesOfEnded(
  database: D1Database,
  { from, to }: { from: number; to: number },
  limit: number,
): Promise<string[]> {
  const [recent, keeping] = await database.batch<{ key: string }>([
    database
      .prepare("SELECT sandbox_key AS key FROM sessions WHERE ended_at >= ?1 AND ended_at < ?2 LIMIT ?3")
      .bind(from, to, limit),
    // From the bases in use on, which are fewer than all sessions that ever ended.
    database
      .prepare(
        `SELECT u.sandbox_key AS key FROM base_users u CROSS JOIN sessions s ON s.sandbox_key = u.sandbox_key
         WHERE s.ended_at < ?1 LIMIT ?2`,
      )
      .bind(from, limit),
  ]);
  return [recent, keeping].flatMap((found) => found?.results.map(({ key }) => key) ?? []);
}
