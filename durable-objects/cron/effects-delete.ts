// Deletes what is stored of a cron, behind the answer: its runs, in pages.

import { deleteCronTraces, deleteRunRows, type RunLeft, runsLeft } from "../../src/cron/queries/runs.ts";
import type { Env } from "../../src/env.ts";
import type { CronEffect } from "../../src/rules/effect.ts";
import { cronRunsKeptMs } from "../../src/rules/limits.ts";
import { cronFolder, deleteFolder } from "../../src/storage/owner-folder.ts";
import { deleteArtifactsOfRuns } from "../../src/storage/queries/artifacts.ts";
import { cronRunObject } from "../address.ts";
import { isDoneWithin } from "../object/timeout.ts";
import type { CronContext } from "./context.ts";

const runsPerPage = 10;
/** Between pages others get their turn, first of all the answer to whoever deletes: on one machine all objects share a thread. */
const pagePauseMs = 20;
const removeWaitMs = 10_000;

/** Removes the runs of a deleted cron, page by page, with all that they stored. Throws if it is to be tried again. */
export async function deleteRuns(
  { env, shell, withLock }: CronContext,
  { cronId, stopped = [] }: Extract<CronEffect, { type: "delete-runs" }>,
): Promise<void> {
  // Whoever deletes waits for these, so they come first; and no row of a fire comes behind them.
  await Promise.all(stopped.map((runId) => shell.settled(`stop-run:${runId}`)));
  await withLock("index", async () => {});
  const silent = await deleteEach(env, cronId, null);
  await deleteFolder(env, cronFolder(cronId));
  // Their rows are left, so that the next try finds them.
  if (silent > 0) throw new Error(`${silent} run objects did not answer`);
  await deleteCronTraces(env.DB, cronId);
}

/** Deletes the runs of a cron that are older than runs are kept. Throws if it is to be tried again. */
export async function deleteOldRuns({ env }: Pick<CronContext, "env">, cronId: string): Promise<void> {
  const silent = await deleteEach(env, cronId, Date.now() - cronRunsKeptMs);
  if (silent > 0) throw new Error(`${silent} objects of old runs did not answer`);
}

/** Deletes runs page by page, with all that they stored. Answers how many objects did not answer: their rows are left. */
async function deleteEach(env: Env, cronId: string, before: number | null): Promise<number> {
  let silent = 0;
  let last: RunLeft | null = null;
  for (;;) {
    await scheduler.wait(pagePauseMs);
    const runs = await runsLeft(env.DB, cronId, { after: last, before, atMost: runsPerPage });
    last = runs.at(-1) ?? null;
    if (last === null) break;
    const removals = await Promise.all(runs.map(async (run) => run.isOpened === 0 || (await isRemoved(env, run.id))));
    const ids = runs.filter((_, place) => removals[place]).map(({ id }) => id);
    await deleteArtifactsOfRuns(env.DB, ids);
    await deleteRunRows(env.DB, cronId, ids);
    silent += runs.length - ids.length;
  }
  return silent;
}

const isRemoved = (env: Env, runId: string) =>
  isDoneWithin(cronRunObject(env, runId).remove(), removeWaitMs, `the run ${runId} was not removed`);
