// Performs the effects of a cron object.

import { publishActivity } from "../../src/activity/publish.ts";
import type { FeedEvent } from "../../src/activity/queries.ts";
import { recordWithWrites } from "../../src/activity/record.ts";
import type { RecordedEvent } from "../../src/activity/rules/activity.ts";
import { deleteArtifactsOfRuns } from "../../src/artifact/queries.ts";
import { deleteCronRows, getCronStatement } from "../../src/cron/queries/crons.ts";
import {
  deleteCronTraces,
  deleteRunRows,
  getRunEndStatements,
  listRemainingRuns,
  type RunLeft,
} from "../../src/cron/queries/runs.ts";
import { writeCron, writeCronStatements } from "../../src/cron/queries/writes.ts";
import { toCronRunEvent } from "../../src/cron/rules/activity-events.ts";
import { type CronRun, findRunEnd } from "../../src/cron/rules/run.ts";
import { recordRunEnd } from "../../src/cron/rules/run-end.ts";
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { isDoneWithin } from "../../src/lib/timeout.ts";
import { notifyPeople } from "../../src/notification/notify.ts";
import { decided } from "../../src/rules/decision.ts";
import type { CronEffect, CronReminder, Reminder } from "../../src/rules/effect.ts";
import { cronRunsKeptMs } from "../../src/rules/limits.ts";
import { deleteFolder, getCronFolder } from "../../src/storage/objects.ts";
import { recordAndSend } from "../../src/webhook/record.ts";
import { toRunWebhookEvent } from "../../src/webhook/rules/cron-events.ts";
import { sendToWebhooks } from "../../src/webhook/send.ts";
import { toCronChanged, type WorkspaceEvent } from "../../src/workspace/event-wire.ts";
import { getCronRunObject, getWorkspaceEventsObject } from "../address.ts";
import type { Performed } from "../object/shell.ts";
import type { CronContext } from "./context.ts";
import { startWaitingRuns } from "./open-runs.ts";

type WorkspaceCronEvent = ReturnType<typeof toCronChanged>;

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
      return await publish(env, { type: "cron-deleted", cronId: effect.cronId, workspaceId: effect.workspaceId });
    case "delete-runs":
      return await deleteRuns(context, effect);
    case "delete-old-runs":
      return await deleteOldRuns(context, effect.cronId);
    case "record-events":
      // Recorded after the index is written, and after the response that waits for the index. On a
      // single machine, recording would compete with both for one thread.
      await context.withLock("index", async () => {});
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
    if (shown.row) await publish(env, toCronChanged(state.cron, shown.row));
  });
}

const publish = async (env: Env, event: Extract<WorkspaceEvent, { workspaceId: string }>) =>
  await getWorkspaceEventsObject(env, event.workspaceId).publish([event]);

interface WrittenRuns {
  recorded: FeedEvent[];
  /** The cron as lists show it; null if it is deleted. */
  cron: WorkspaceCronEvent | null;
}

/** Writes runs and their cron, records their events, and reads the cron, in one round trip. */
export async function writeRuns(
  { env, store }: CronContext,
  events: readonly RecordedEvent[],
  writes: readonly D1PreparedStatement[],
): Promise<WrittenRuns> {
  const state = store.find();
  const reads = state ? [getCronStatement(env.DB, state.cron.id)] : [];
  const { recorded, results } = await recordWithWrites(env.DB, events, [...writes, ...reads]);
  const row = state && results.at(-1)?.results[0]?.cron;
  return { recorded, cron: state && row ? toCronChanged(state.cron, JSON.parse(String(row))) : null };
}

/**
 * Publishes written runs. Call it under the lock of their write: a listener keeps the newest
 * message, so that an older state must not come later. Throws if their activity cannot be
 * published; a listener that misses the cron finds it in the lists.
 */
export async function publishRuns(env: Env, { recorded, cron }: WrittenRuns): Promise<void> {
  await publishActivity(env, recorded);
  if (cron === null) return;
  await publish(env, cron).catch((error: unknown) =>
    log.warn("workspace_event.not_published", { workspaceId: cron.workspaceId, cronId: cron.cron.id, error }),
  );
}

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
  { env, shell, withLock }: CronContext,
  { cronId, stopped }: Extract<CronEffect, { type: "delete-runs" }>,
): Promise<Performed> {
  // The caller that deletes the cron waits for these stops, so they come first. Waiting for the
  // index lock ensures that a fire writes no row after this.
  await Promise.all(stopped.map((runId) => shell.settled({ type: "stop-run", id: runId })));
  await withLock("index", async () => {});
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

/**
 * The end of a run, as the run reports it to its cron. It is counted, and written in one round trip
 * with the cron's row and its event. The key of the run is revoked with it. Safe to repeat. Throws
 * if the run must report its end again. If the cron is deleted, only the run is written.
 */
export async function endRun(context: CronContext, run: CronRun, summary: string | null): Promise<void> {
  const { env, store } = context;
  const ended = findRunEnd(run);
  if (ended === null) return;
  context.decide((state, now) => recordRunEnd(state, ended, now));
  context.opened.settle(run.id);
  const event = toCronRunEvent(run);
  await context.withLock("index", async () => {
    const state = store.find();
    const writes = [...getRunEndStatements(env.DB, run, summary), ...(state ? writeCronStatements(env.DB, state) : [])];
    await publishRuns(env, await writeRuns(context, event ? [event] : [], writes));
  });
  await sendToWebhooks(env, run.workspaceId, () => [toRunWebhookEvent({ ...run, ...ended, id: run.id })]);
}

/**
 * Cleans up once a day, when the cron's object is woken: rows whose cron was never created, and old
 * runs. Safe to repeat. Old runs are deleted in pages, after the response.
 */
export async function deleteExpiredRuns({ env, store, shell, withLock }: CronContext, cronId: string): Promise<void> {
  if (store.find() === null) {
    // This object may have died after writing the rows and before its decision.
    await withLock("index", async () => {
      if (store.find() === null) await deleteCronRows(env.DB, cronId);
    });
    return;
  }
  const before = Date.now() - cronRunsKeptMs;
  const [old] = await listRemainingRuns(env.DB, cronId, { after: null, before, atMost: 1 });
  if (old) shell.decide((state) => decided(state, null, state ? [{ type: "delete-old-runs", cronId }] : []));
}
