// The sweep of base layers. It deletes those that a newer one has replaced, once no sandbox uses them, and those that were never finished.
import type { Env } from "../env.ts";
import { type SweepPlace, wakeEach } from "../scheduled/sweep.ts";
import { baseLayerKey } from "../storage/archives.ts";
import { deleteBase, retireOldBases, unusedBases } from "./queries/prebuilds.ts";

/** Each takes two calls. */
const basesPerPage = 20;
/** The longest time that the making of a base takes. */
const makingMs = 30 * 60_000;
/** The pause after which the making of a failed base is tried again. */
const unmadeMs = 24 * 60 * 60_000;

/** Removes unused bases. Idempotent. */
export async function sweepUnusedBases(
  env: Pick<Env, "DB" | "STORE">,
  { now, after }: SweepPlace,
): Promise<string | null> {
  await retireOldBases(env.DB, { makingBefore: now - makingMs, unmadeBefore: now - unmadeMs });
  return await wakeEach(
    await unusedBases(env.DB, after, basesPerPage),
    ({ id }) => id,
    async ({ id, projectId }) => {
      await env.STORE.delete(baseLayerKey(projectId, id));
      await deleteBase(env.DB, id);
    },
    basesPerPage,
  );
}
