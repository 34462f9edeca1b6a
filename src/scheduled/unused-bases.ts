// The sweep of base layers: those that a newer one has replaced go once no sandbox stands on them, and so do those that were never finished.
import type { Env } from "../env.ts";
import { baseLayerKey } from "../storage/archives.ts";
import { forgetBase, retireOldBases, unusedBases } from "../storage/queries/sandbox-bases.ts";

const basesPerSweep = 20;
/** Longer than a start may take, in which a base is made. */
const makingMs = 30 * 60_000;

/** Removes the bases that nobody needs any more. Safe to repeat. */
export async function sweepUnusedBases(env: Pick<Env, "DB" | "STORE">, now: number): Promise<void> {
  await retireOldBases(env.DB, now - makingMs);
  for (const { id, projectId } of await unusedBases(env.DB, basesPerSweep)) {
    await env.STORE.delete(baseLayerKey(projectId, id));
    await forgetBase(env.DB, id);
  }
}
