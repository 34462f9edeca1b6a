// Deliveries of webhooks that earlier versions recorded here. Now the inbox of each repository
// stores its own; this empties the table.

/** GitHub redelivers for three days. */
const retentionMs = 4 * 24 * 3_600_000;

/** Deletes up to `atMost` deliveries that can no longer be redelivered. */
export async function sweepDeliveries(database: D1Database, now: number, atMost: number): Promise<void> {
  await database
    .prepare(
      `DELETE FROM code_host_deliveries
       WHERE id IN (SELECT id FROM code_host_deliveries WHERE received_at <= ?1 LIMIT ?2)`,
    )
    .bind(now - retentionMs, atMost)
    .run();
}
