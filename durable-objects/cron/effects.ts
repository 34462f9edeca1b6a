// Performs the effects of a cron object.

import { deleteArtifactsOfRuns } from "../../src/artifact/queries.ts";
import { deleteCronRows } from "../../src/cron/queries/crons.ts";
import { deleteCronTraces, deleteRunRows, listRemainingRuns, type RunLeft } from "../../src/cron/queries/runs.ts";
import { writeCron } from "../../src/cron/queries/writes.ts";
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { isDoneWithin } from "../../src/lib/timeout.ts";
import { notifyPeople } from "../../src/notification/notify.ts";
import type { CronEffect, CronReminder, Reminder } from "../../src/rules/effect.ts";
import { cronRunsKeptMs } from "../../src/rules/limits.ts";
import { deleteFolder, getCronFolder } from "../../src/storage/objects.ts";
import { recordAndSend } from "../../src/webhook/record.ts";
import { toCronChanged } from "../../src/workspace/event-wire.ts";
import { getCronRunObject } from "../address.ts";
import type { Performed } from "../object/shell.ts";
import type { CronContext } from "./context.ts";
import { startWaitingRuns } from "./open-runs.ts";
import { publishCronEvent } from "./runs.ts";

/** A response has been sent after this time. */
const answerMs = 10;

/** Performs one effect. Safe to repeat: an outdated effect is skipped. */
export async function performCronEffect(
  context: CronContext,
  effect: Exclude<CronEffect, Reminder<CronReminder>>,
): Promise<Performed> {
  const { env } = context;
  switch (effect.type) {
    case "index-cron":
      return await indexCron(context);
    case "open-runs":
      return await startWaitingRuns(context, effect);
    case "stop-run":
      // A run that has ended meanwhile stays unchanged.
      await getCronRunObject(env, effect.id).stop(effect.stop);
      return;
    case "forget-cron":
      await context.withLock("index", () => deleteCronRows(env.DB, effect.cronId));
      return await publishCronEvent(env, {
        type: "cron-deleted",
        cronId: effect.cronId,
        workspaceId: effect.workspaceId,
      });
    case "delete-runs":
      return await deleteRuns(context, effect);
    case "delete-old-runs":
      return await deleteOldRuns(context, effect.cronId);
    case "record-events":
      // Recorded after the index is written, and after the response that waits for the index. On a
      // single machine, recording would compete with both for one thread.
      await waitForIndex(context);
      await scheduler.wait(answerMs);
      return await context.withLock("events", () => recordAndSend(env, effect));
    case "tell-people":
      return await notifyPeople(env, effect.notice);
  }
}

async function indexCron({ env, store, shown, withLock }: CronContext): Promise<void> {
  await withLock("index", async () => {
    const state = store.find();
    if (!state) return;
    shown.row = await writeCron(env.DB, state);
    if (shown.row) await publishCronEvent(env, toCronChanged(state.cron, shown.row));
  });
}

/** Waits for the writes of the index that have already started. */
const waitForIndex = async ({ withLock }: Pick<CronContext, "withLock">) => await withLock("index", async () => {});

const runsPerPage = 10;
/** In one invocation. They make far fewer calls than the platform allows in one. */
const pagesAtMost = 20;
/**
 * The pause between pages lets other work run, first of all the response to the delete request. On
 * a single machine all objects share one thread.
 */
const pagePauseMs = 20;
const deletionWaitMs = 10_000;

/**
 * Deletes some runs of a deleted cron, page by page, with all that they stored, and the rest of the
 * cron after the last one. Throws if the attempt must be repeated.
 */
async function deleteRuns(
  context: CronContext,
  { cronId, stopped }: Extract<CronEffect, { type: "delete-runs" }>,
): Promise<Performed> {
  const { env, shell } = context;
  // The caller that deletes the cron waits for these stops, so they come first. Waiting for the
  // index lock ensures that a fire writes no row after this.
  await Promise.all(stopped.map((runId) => shell.settled({ type: "stop-run", id: runId })));
  await waitForIndex(context);
  if ((await deleteEach(env, cronId, null)) === "unfinished") return "unfinished";
  await deleteFolder(env, getCronFolder(cronId));
  await deleteCronTraces(env.DB, cronId);
}

/**
 * Deletes some runs of a cron that are older than the retention limit. Throws if the attempt must
 * be repeated.
 */
async function deleteOldRuns({ env }: Pick<CronContext, "env">, cronId: string): Promise<Performed> {
  return await deleteEach(env, cronId, Date.now() - cronRunsKeptMs);
}

/**
 * Deletes runs page by page, with all that they stored. Throws if only runs are left whose objects
 * do not respond. Their rows are left, so that the next attempt finds them.
 */
async function deleteEach(env: Env, cronId: string, before: number | null): Promise<Performed> {
  let [silent, deleted] = [0, 0];
  let last: RunLeft | null = null;
  for (let page = 0; page < pagesAtMost; page++) {
    await scheduler.wait(pagePauseMs);
    const runs = await listRemainingRuns(env.DB, cronId, { after: last, before, atMost: runsPerPage });
    last = runs.at(-1) ?? null;
    if (last === null) break;
    const deletions = await Promise.all(runs.map(async (run) => run.isOpened === 0 || (await isDeleted(env, run.id))));
    const ids = runs.filter((_, place) => deletions[place]).map(({ id }) => id);
    await deleteArtifactsOfRuns(env.DB, ids);
    await deleteRunRows(env.DB, cronId, ids);
    deleted += ids.length;
    silent += runs.length - ids.length;
  }
  if (last !== null && deleted > 0) return "unfinished";
  if (silent > 0) throw new Error(`${silent} run objects did not answer`);
}

const isDeleted = (env: Env, runId: string) =>
  isDoneWithin(getCronRunObject(env, runId).delete(), deletionWaitMs, (error) =>
    log.warn("cron_run.deletion_delayed", { runId, error }),
  );
