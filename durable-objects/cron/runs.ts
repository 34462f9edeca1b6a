// The rows of a cron's runs: they are written with the cron's own row, published, and deleted when
// they have expired.

import { publishActivity } from "../../src/activity/publish.ts";
import type { FeedEvent } from "../../src/activity/queries.ts";
import { recordWithWrites } from "../../src/activity/record.ts";
import type { RecordedEvent } from "../../src/activity/rules/activity.ts";
import { deleteCronRows, getCronStatement } from "../../src/cron/queries/crons.ts";
import { getRunEndStatements, listRemainingRuns } from "../../src/cron/queries/runs.ts";
import { writeCronStatements } from "../../src/cron/queries/writes.ts";
import { toCronRunEvent } from "../../src/cron/rules/activity-events.ts";
import { type CronRun, findRunEnd } from "../../src/cron/rules/run.ts";
import { recordRunEnd } from "../../src/cron/rules/run-end.ts";
import type { Env } from "../../src/env.ts";
import { log } from "../../src/lib/log.ts";
import { decided } from "../../src/rules/decision.ts";
import { cronRunsKeptMs } from "../../src/rules/limits.ts";
import { toRunWebhookEvent } from "../../src/webhook/rules/cron-events.ts";
import { sendToWebhooks } from "../../src/webhook/send.ts";
import { toCronChanged, type WorkspaceEvent } from "../../src/workspace/event-wire.ts";
import { getWorkspaceEventsObject } from "../address.ts";
import type { CronContext } from "./context.ts";

type WorkspaceCronEvent = ReturnType<typeof toCronChanged>;

/** Publishes an event of the cron to its workspace. */
export async function publishCronEvent(
  env: Env,
  event: Extract<WorkspaceEvent, { workspaceId: string }>,
): Promise<void> {
  await getWorkspaceEventsObject(env, event.workspaceId).publish([event]);
}

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
  await publishCronEvent(env, cron).catch((error: unknown) =>
    log.warn("workspace_event.not_published", { workspaceId: cron.workspaceId, cronId: cron.cron.id, error }),
  );
}

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
 * Cleans up once a day, when the cron's object is woken: rows of crons whose create failed, and old
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
