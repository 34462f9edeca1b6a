// Opens the runs of a fire, in pages: their objects store them, their rows and keys are written in
// one round trip, and then they start.
import { getOpenedRunsStatement, getRefusedRunsStatement } from "../../src/cron/queries/runs.ts";
import { writeCronStatements } from "../../src/cron/queries/writes.ts";
import { toCronRunEvent } from "../../src/cron/rules/activity-events.ts";
import type { CronState } from "../../src/cron/rules/cron.ts";
import { cancelUnopenedRuns, recordOpenedRuns, withOpened } from "../../src/cron/rules/run-end.ts";
import type { NewRun } from "../../src/cron/rules/run-status.ts";
import { createCronRunKey } from "../../src/key/queries/keys.ts";
import { createId } from "../../src/lib/ids.ts";
import { log } from "../../src/lib/log.ts";
import { isDoneWithin } from "../../src/lib/timeout.ts";
import { findRunNotification } from "../../src/notification/rules/audience.ts";
import { decided } from "../../src/rules/decision.ts";
import type { CronEffect } from "../../src/rules/effect.ts";
import { longestCronRunOpeningMs } from "../../src/rules/limits.ts";
import { toRunWebhookEvent } from "../../src/webhook/rules/cron-events.ts";
import { getCronRunObject } from "../address.ts";
import type { Performed } from "../object/shell.ts";
import type { CronContext } from "./context.ts";
import { publishRuns, writeRuns } from "./runs.ts";

type Opening = Extract<CronEffect, { type: "open-runs" }>;

/**
 * The longest wait for the object of a run. After it the other runs of the fire are recorded, and
 * this run is retried later.
 */
const createWaitMs = 4_000;

/** Each run takes two calls. */
const runsPerPage = 50;

/**
 * Opens a page of the waiting runs. Safe to repeat: runs that are already open or over are skipped.
 * Throws while a run cannot be opened. Runs that never opened are recorded with the last page.
 */
export async function startWaitingRuns(context: CronContext, opening: Opening): Promise<Performed> {
  const state = context.store.find();
  if (!state) return;
  const waiting = opening.opens.filter(({ runId }) => isStarting(state, runId));
  const page = waiting.slice(0, runsPerPage);
  const hasMore = page.length < waiting.length;
  const outcomes = await Promise.all(page.map((run) => createRun(context, state, run, opening.prompt)));
  const runsThatAre = (outcome: RunOpening) => page.filter((_, place) => outcomes[place] === outcome);
  await record(context, hasMore ? { ...opening, ends: [] } : opening, runsThatAre("open"));
  cancel(context, { ...opening, runs: runsThatAre("stopped"), cause: "stopped" });
  const silent = runsThatAre("silent");
  const [first] = silent;
  if (first && Date.now() < first.createdAt + longestCronRunOpeningMs) throw new Error("a run object did not answer");
  cancel(context, { ...opening, runs: silent, cause: "silent" });
  if (hasMore) return "unfinished";
}

function cancel(
  context: CronContext,
  { prompt, runs, cause }: { prompt: string; runs: readonly NewRun[]; cause: "silent" | "stopped" },
): void {
  if (runs.length === 0) return;
  const command = { fireId: createId(), prompt, runs, cause };
  context.decide((current, now) => cancelUnopenedRuns(current, command, now));
  for (const { runId } of runs) context.opened.settle(runId);
}

function isStarting({ inFlight }: CronState, runId: string): boolean {
  return inFlight.some((run) => run.runId === runId && !run.isOpen);
}

/** `silent` if the object of the run does not respond in time. */
type RunOpening = "open" | "stopped" | "silent";

/** Hands a run to its object. */
async function createRun({ env }: CronContext, { cron }: CronState, run: NewRun, prompt: string): Promise<RunOpening> {
  const { id: cronId, workspaceId, createdBy } = cron;
  const newRun = { ...run, cronId, workspaceId, createdBy, prompt, messageId: createId() };
  let isStopped = false;
  const created = getCronRunObject(env, run.runId)
    .create(newRun)
    .then((isOver) => {
      isStopped = isOver;
    });
  const isDone = await isDoneWithin(created, createWaitMs, (error) =>
    log.warn("cron_run.open_failed", { runId: run.runId, error }),
  );
  if (!isDone) return "silent";
  return isStopped ? "stopped" : "open";
}

/** Writes the rows of the fire and the keys of the runs that opened, then starts those runs. */
async function record(context: CronContext, opening: Opening, opened: readonly NewRun[]): Promise<void> {
  const { env, shell } = context;
  const now = Date.now();
  const runIds = opened.map(({ runId }) => runId);
  await context.withLock("index", async () => {
    const state = context.store.find();
    if (!state) return;
    const { id: cronId, name: cronName, workspaceId, createdBy } = state.cron;
    const keys = await Promise.all(
      opened.map((run) => createCronRunKey(env.DB, { ...run, cronId, workspaceId, createdBy }, now)),
    );
    const events = opening.ends.flatMap((run) => {
      const event = toCronRunEvent({ ...run, id: run.runId, cronId, cronName, workspaceId });
      return event ? [event] : [];
    });
    const writes = [
      ...writeCronStatements(env.DB, withOpened(state, runIds)),
      getOpenedRunsStatement(env.DB, { cronId, workspaceId }, opened),
      getRefusedRunsStatement(env.DB, { cronId, workspaceId }, opening.ends),
      ...keys.map(({ insertion }) => insertion),
    ];
    const notices = events.flatMap((event) => {
      const notice = findRunNotification(event, { cronId, runId: event.id, createdBy }, now);
      return notice ? [{ type: "tell-people" as const, id: notice.id, notice }] : [];
    });
    const sent = opening.ends.map((run) => toRunWebhookEvent({ ...run, id: run.runId, cronId, workspaceId }));
    const sending = sent[0] ? [{ type: "record-events" as const, id: sent[0].id, events: [], sent }] : [];
    // Effects of their own, so that a person or a webhook that cannot be reached delays no run.
    if (sending.length > 0) shell.decide((state) => decided(state, null, [...notices, ...sending]));
    const written = await writeRuns(context, events, writes);
    if (opened.length > 0)
      shell.decide((state) => (state ? recordOpenedRuns(state, runIds) : { state, result: null, effects: [] }));
    for (const runId of runIds) context.opened.settle(runId);
    for (const [place, { runId }] of opened.entries()) start(context, runId, keys[place]?.token ?? "");
    await publishRuns(env, written);
  });
}

/**
 * Starts a run without waiting, so the call may outlive the effect. If the call fails, the run
 * starts by itself a little later.
 */
function start({ env }: CronContext, runId: string, key: string): void {
  const started = getCronRunObject(env, runId).start(key);
  started.catch((error: unknown) => log.warn("cron_run.start_delayed", { runId, error }));
}
