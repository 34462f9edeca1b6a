// Opens the runs of a fire: their objects keep them, their rows and keys are written in one round trip, and then they start.
import { tellActivity } from "../../src/actions/workspace/tell-activity.ts";
import { newId } from "../../src/ids.ts";
import type { CronState } from "../../src/rules/cron/cron.ts";
import { cronRunEvent } from "../../src/rules/cron/events.ts";
import type { NewRun } from "../../src/rules/cron/fired-run.ts";
import { runEnded, runsOpened } from "../../src/rules/cron/run-end.ts";
import type { CronEffect } from "../../src/rules/effect.ts";
import { longestCronRunMs } from "../../src/rules/limits.ts";
import { recordEvents } from "../../src/storage/queries/activity.ts";
import { openedRuns, refusedRuns } from "../../src/storage/queries/cron-runs.ts";
import { cronWrites } from "../../src/storage/queries/crons.ts";
import { newCronRunKey } from "../../src/storage/queries/keys.ts";
import { cronRunObject } from "../address.ts";
import type { CronContext } from "./context.ts";

type Opening = Extract<CronEffect, { type: "open-runs" }>;

const neverOpened = "The run could not be opened within 60 minutes. The next fire runs again.";

/** Safe to repeat: runs that are open already, or over, are passed over. Throws while a run cannot be opened. */
export async function openRuns(context: CronContext, opening: Opening): Promise<void> {
  const state = context.store.find();
  if (!state) return;
  const waiting = opening.opens.filter(({ runId }) => isStarting(state, runId));
  const begun = (await Promise.all(waiting.map((run) => begin(context, state, run, opening.prompt)))).filter(
    (run) => run !== null,
  );
  await record(context, opening, begun);
  if (begun.length < waiting.length) {
    if (Date.now() < (waiting[0]?.createdAt ?? 0) + longestCronRunMs) throw new Error("a run object did not answer");
    giveUp(
      context,
      waiting.filter((run) => !begun.some(({ runId }) => runId === run.runId)),
    );
  }
}

function isStarting({ inFlight }: CronState, runId: string): boolean {
  return inFlight.some((run) => run.runId === runId && !run.isOpen);
}

/** Hands a run to its object. Null if that does not answer. */
async function begin({ env }: CronContext, { cron }: CronState, run: NewRun, prompt: string): Promise<NewRun | null> {
  const { id: cronId, name: cronName, workspaceId, createdBy } = cron;
  const begun = { ...run, cronId, cronName, workspaceId, createdBy, prompt, messageId: newId() };
  try {
    await cronRunObject(env, run.runId).begin(begun);
    return run;
  } catch (error) {
    console.error("a run object did not answer", run.runId, error instanceof Error ? error.message : "");
    return null;
  }
}

/** Writes the rows of the fire and the keys of the runs that opened, then starts those. */
async function record(context: CronContext, opening: Opening, begun: readonly NewRun[]): Promise<void> {
  const { env, shell } = context;
  const now = Date.now();
  const keys = await context.withLock("index", async () => {
    const state = context.store.find();
    if (!state) return [];
    const { id: cronId, name: cronName, workspaceId, createdBy } = state.cron;
    const keys = await Promise.all(
      begun.map((run) => newCronRunKey(env.DB, { ...run, cronId, workspaceId, createdBy }, now)),
    );
    const events = opening.ends.flatMap((run) => {
      const event = cronRunEvent({ ...run, id: run.runId, cronId, cronName, workspaceId });
      return event ? [event] : [];
    });
    const writes = [
      ...cronWrites(env.DB, state),
      openedRuns(env.DB, { cronId, workspaceId }, begun),
      refusedRuns(env.DB, { cronId, workspaceId }, opening.ends),
      ...keys.map(({ insertion }) => insertion),
    ];
    await tellActivity(env, await recordEvents(env.DB, events, writes));
    return keys;
  });
  if (begun.length === 0) return;
  const runIds = begun.map(({ runId }) => runId);
  shell.decide((state) => (state ? runsOpened(state, runIds) : { state, answer: null, effects: [] }));
  for (const runId of runIds) context.opened.settle(runId);
  await Promise.all(begun.map(({ runId }, place) => cronRunObject(env, runId).start(keys[place]?.token ?? "")));
}

/** Ends runs that never opened. */
function giveUp(context: CronContext, runs: readonly NewRun[]): void {
  for (const { runId } of runs)
    context.decide((state, now) =>
      runEnded(state, { runId, status: "failed", error: neverOpened, isCounted: true }, now),
    );
}
