// Deliveries of webhooks that were handled. A delivery is recorded after its handling, so that a failed one can be redelivered.

/** GitHub redelivers for three days. */
const retentionMs = 4 * 24 * 3_600_000;

/** True if a delivery was handled before. */
export async function isHandled(database: D1Database, id: string): Promise<boolean> {
  return (await database.prepare("SELECT 1 FROM code_host_deliveries WHERE id = ?1").bind(id).first()) !== null;
}

/** Records a handled delivery. Idempotent. */
export async function recordHandled(database: D1Database, id: string, now: number): Promise<void> {
  await database
    .prepare("INSERT INTO code_host_deliveries (id, received_at) VALUES (?1, ?2) ON CONFLICT (id) DO NOTHING")
    .bind(id, now)
    .run();
}

/** Deletes up to `atMost` deliveries that cannot be redelivered any more. */
export async function sweepDeliveries(database: D1Database, now: number, atMost: number): Promise<void> {
  await database
    .prepare(
      `DELETE FROM code_host_deliveries
       WHERE id IN (SELECT id FROM code_host_deliveries WHERE received_at <= ?1 LIMIT ?2)`,
    )
    .bind(now - retentionMs, atMost)
    .run();
}
