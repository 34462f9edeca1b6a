// Webhooks that have been heeded. One is written down when all it tells has been passed on, so that one that failed may come again.

/** Longer than GitHub offers to send one again. */
const keptMs = 4 * 24 * 3_600_000;

/** True for a webhook that has been heeded before. */
export async function isHeeded(database: D1Database, id: string): Promise<boolean> {
  return (await database.prepare("SELECT 1 FROM code_host_deliveries WHERE id = ?1").bind(id).first()) !== null;
}

/** Writes a webhook down. Safe to repeat. */
export async function noteHeeded(database: D1Database, id: string, now: number): Promise<void> {
  await database
    .prepare("INSERT INTO code_host_deliveries (id, received_at) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING")
    .bind(id, now)
    .run();
}

/** Forgets the webhooks that nobody sends again, so many at a time. */
export async function sweepDeliveries(database: D1Database, now: number, atMost: number): Promise<void> {
  await database
    .prepare(
      `DELETE FROM code_host_deliveries
       WHERE id IN (SELECT id FROM code_host_deliveries WHERE received_at <= ?1 LIMIT ?2)`,
    )
    .bind(now - keptMs, atMost)
    .run();
}
