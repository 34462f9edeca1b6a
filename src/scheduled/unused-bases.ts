// The sweep of base layers. It removes those that a newer one has replaced, once no sandbox uses them, and those that were never finished.
import type { Env } from "../env.ts";
import { baseLayerKey } from "../storage/archives.ts";
import { deleteBase, retireOldBases, unusedBases } from "../storage/queries/sandbox-bases.ts";

const basesPerSweep = 20;
/** A base is made in less than this. */
const makingMs = 30 * 60_000;
/** One that could not be made is tried again after this. */
const unmadeMs = 24 * 60 * 60_000;

/** Removes unused bases. Idempotent. */
export async function sweepUnusedBases(env: Pick<Env, "DB" | "STORE">, now: number): Promise<void> {
  await retireOldBases(env.DB, { makingBefore: now - makingMs, unmadeBefore: now - unmadeMs });
  for (const { id, projectId } of await unusedBases(env.DB, basesPerSweep)) {
    await env.STORE.delete(baseLayerKey(projectId, id));
    await deleteBase(env.DB, id);
  }
}
