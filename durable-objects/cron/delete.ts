// Deletes what is stored of a cron, behind the answer: its runs, in pages.
import type { Env } from "../../src/env.ts";
import { deletePrefix } from "../../src/storage/objects.ts";
import { cronFolder } from "../../src/storage/owner-folder.ts";
import { deleteArtifactsOfRuns } from "../../src/storage/queries/artifacts.ts";
import { deleteCronTraces, deleteRunRows, runsLeft } from "../../src/storage/queries/cron-runs.ts";
import { cronRunObject } from "../address.ts";

const runsPerPage = 50;

/** Removes the runs of a deleted cron, page by page, with all that they stored. Throws if it is to be tried again. */
export async function deleteRuns(env: Env, cronId: string): Promise<void> {
  for (;;) {
    const runs = await runsLeft(env.DB, cronId, runsPerPage);
    if (runs.length === 0) break;
    await Promise.all(runs.filter(({ isOpened }) => isOpened).map(({ id }) => cronRunObject(env, id).remove()));
    const ids = runs.map(({ id }) => id);
    await deleteArtifactsOfRuns(env.DB, ids);
    await deleteRunRows(env.DB, ids);
  }
  await deletePrefix(env.STORE, cronFolder(cronId));
  await deleteCronTraces(env.DB, cronId);
}
