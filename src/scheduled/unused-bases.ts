// The sweep of base layers. It deletes those that a newer one has replaced, once no sandbox uses them, and those that were never finished.
import type { Env } from "../env.ts";
import { baseLayerKey } from "../storage/archives.ts";
import { deleteBase, retireOldBases, unusedBases } from "../storage/queries/sandbox-bases.ts";

const basesPerSweep = 20;
/** The longest time that the making of a base takes. */
const makingMs = 30 * 60_000;
/** The pause after which the making of a failed base is tried again. */
const unmadeMs = 24 * 60 * 60_000;

/** Removes unused bases. Idempotent. */
export async function sweepUnusedBases(env: Pick<Env, "DB" | "STORE">, now: number): Promise<void> {
  await retireOldBases(env.DB, { makingBefore: now - makingMs, unmadeBefore: now - unmadeMs });
  for (const { id, projectId } of await unusedBases(env.DB, basesPerSweep)) {
    await env.STORE.delete(baseLayerKey(projectId, id));
    await deleteBase(env.DB, id);
  }
}
