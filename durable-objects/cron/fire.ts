// Fires a cron: by its alarm, for one slot, or now. The facts are gathered first. Then one decision
// advances the slot and creates the runs.

import { readFireFacts } from "../../src/cron/queries/crons.ts";
import { noCron } from "../../src/cron/rules/cron.ts";
import { type DueResult, type FireFacts, fireDue, fireSlot } from "../../src/cron/rules/fire.ts";
import { getCronWriter } from "../../src/cron/rules/last-writer.ts";
import { openWaitMs, readWaitMs, runNow } from "../../src/cron/rules/run-now.ts";
import type { FiredRun } from "../../src/cron/rules/run-status.ts";
import { createId } from "../../src/lib/ids.ts";
import { waitAtMost } from "../../src/lib/timeout.ts";
import { catalog } from "../../src/model/catalog.ts";
import type { Idempotency } from "../../src/rules/idempotency.ts";
import { isRefusal, type Refusal } from "../../src/rules/refusal.ts";
import { getCronRunObject } from "../address.ts";
import type { CronContext } from "./context.ts";
import type { RunNow } from "./rpc.ts";

/**
 * The runs of one fire whose state is read, because the platform limits the calls of an invocation.
 */
const runsRead = 50;

/** Fires what is due. The alarm may arrive twice, or late. */
export async function fireByAlarm(context: CronContext): Promise<void> {
  if ((context.store.find()?.cron.slot ?? null) === null) return;
  const facts = await gather(context);
  if (facts === null) return;
  const command = { ...createIds(), hasFired: (slot: number) => context.store.fired(slot) !== null };
  context.decide((state, now) => {
    const decision = fireDue(state, command, facts, now);
    if (!isRefusal(decision)) recordFired(context, decision.result);
    return decision;
  });
}

/** Fires one slot, once. */
export async function fireOneSlot(context: CronContext, named: number | null): Promise<FiredRun[] | Refusal> {
  const facts = await gather(context);
  const { cron } = context.store.find() ?? {};
  if (facts === null || !cron) return noCron;
  const slot = named ?? cron.slot;
  const ids = createIds();
  const result = context.decide((state, now) => {
    const fired = slot === null ? null : context.store.fired(slot);
    const decision = fireSlot(state, { ...ids, slot, fired }, facts, now);
    if (!isRefusal(decision)) recordFired(context, decision.result);
    return decision;
  });
  return isRefusal(result) ? result : await waitForRuns(context, listRuns(result));
}

/**
 * Fires now (Part 2, "Crons"). A repeat under the same key returns the runs of the first request in
 * their current state.
 */
export async function fireNow(
  context: CronContext,
  request: RunNow,
  repeat: Idempotency | null,
): Promise<FiredRun[] | Refusal> {
  const fired = await context.once.run(repeat, async () => {
    const facts = await gather(context);
    if (facts === null) return noCron;
    const command = { ...createIds(), projectIds: request.projectIds, by: getCronWriter(request.by) };
    return context.once.decide(repeat, () => {
      const result = context.decide((state, now) => runNow(state, command, facts, now));
      return isRefusal(result) ? result : listRuns(result);
    });
  });
  return isRefusal(fired) ? fired : await waitForRuns(context, fired);
}

/** The runs once each is open, or after the wait. */
async function waitForRuns(context: CronContext, runs: FiredRun[]): Promise<FiredRun[]> {
  const isStarting = ({ runId }: FiredRun) =>
    context.store.find()?.inFlight.some((run) => run.runId === runId && !run.isOpen) === true;
  await waitAtMost(
    Promise.all(runs.filter(isStarting).map(({ runId }) => context.opened.wait(runId, openWaitMs))),
    openWaitMs,
  );
  const isAsked = new Set(runs.slice(0, runsRead));
  return await Promise.all(
    runs.map(async (run) =>
      run.status === "queued" && !isStarting(run) ? opened(context, run, isAsked.has(run)) : run,
    ),
  );
}

/**
 * An opened run in its current state, or as the cron knows it. A run that never opened has failed.
 */
async function opened({ env, store }: CronContext, run: FiredRun, isAsked: boolean): Promise<FiredRun> {
  let status: FiredRun["status"] = store.find()?.inFlight.some(({ runId }) => runId === run.runId)
    ? "running"
    : "failed";
  if (!isAsked) return { ...run, status };
  const reading = getCronRunObject(env, run.runId).read();
  await waitAtMost(
    reading.then((report) => {
      if (report) ({ status } = report.run);
    }),
    readWaitMs,
  );
  return { ...run, status };
}

/**
 * The facts for the next decision, read in one round trip; null for a cron whose workspace is gone.
 */
async function gather({ env, store }: CronContext): Promise<FireFacts | null> {
  const { cron, projects } = store.find() ?? {};
  if (!cron || !projects) return null;
  const projectIds = projects.map(({ projectId }) => projectId);
  const userIds = [cron.createdBy, cron.writtenBy.userId];
  return await readFireFacts(env.DB, { workspaceId: cron.workspaceId, projectIds, userIds }, catalog);
}

function createIds() {
  return { fireId: createId(), newRunId: () => createId() };
}

function listRuns(result: DueResult): FiredRun[] {
  return result.type === "fired" ? result.runs : [];
}

function recordFired({ store }: CronContext, result: DueResult): void {
  if (result.type === "fired") for (const { slot, runs } of result.slots) store.recordFired(slot, runs);
}
