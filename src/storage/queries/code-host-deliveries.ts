// Deliveries of webhooks that earlier versions recorded here. The inbox of each repository keeps
// its own; this empties the table.

/** GitHub redelivers for three days. */
const retentionMs = 4 * 24 * 3_600_000;

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
