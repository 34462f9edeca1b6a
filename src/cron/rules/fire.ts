// A fire of a cron: one run for each of its projects (Part 2, "Crons"; decisions, "Crons"). One
// decision both advances the slot and gives the runs their ids, so that a slot fires once.
import { decided } from "../../rules/decision.ts";
import type { CronEffect } from "../../rules/effect.ts";
import { refuse } from "../../rules/refusal.ts";
import { type CronDecision, type CronProject, type CronState, getSchedule, plan, type RunInFlight } from "./cron.ts";
import { checkRun, findSkip, type GateFacts } from "./gate.ts";
import { type CronWriter, getRunBounds } from "./last-writer.ts";
import { getMissedSlots } from "./missed-slots.ts";
import { findModelForRun } from "./model.ts";
import { getNextFire, getSpreadMs } from "./next-fire.ts";
import { cancelPlannedFire, countRun, disableIfIdle } from "./project-pause.ts";
import type { EndedRun, FiredRun, NewRun } from "./run-status.ts";

/** The data from outside the cron that a fire needs. */
export interface FireFacts extends GateFacts {
  /** The Workspace Timezone. */
  zone: string;
}

/**
 * A fire that is later than this was delayed by an outage. It is spread again, so that not all
 * crons fire at the same time. This happens only once per slot: under a load that delays every
 * alarm, a cron would otherwise never fire.
 */
const lateMs = 90_000;
const spreadAtMostMs = 60_000;

/**
 * An effect is one value of storage, of at most 2 MB. After an outage the runs that are skipped in
 * many projects would be more.
 */
const endsPerEffect = 1_000;

/** The outcome of a fire: its runs, and which of them belong to a slot. */
export type DueResult = { type: "nothing" } | { type: "fired"; runs: FiredRun[]; slots: SlotRuns[] };

export interface SlotRuns {
  slot: number;
  runs: FiredRun[];
}

/**
 * Ids that a fire may need, passed in so that the rule is pure: the ids of its runs, and its own.
 */
export interface FireIds {
  fireId: string;
  newRunId(): string;
}

/**
 * Fires what is due by the schedule. The alarm may come early, late or twice. A slot that has
 * already fired does not fire again.
 */
export function fireDue(
  state: CronState,
  command: FireIds & { hasFired(slot: number): boolean },
  facts: FireFacts,
  now: number,
): CronDecision<DueResult> {
  const { cron } = state;
  const { hasFired } = command;
  if (cron.slot === null || cron.dueAt === null) return decided(state, { type: "nothing" });
  if (facts.zone !== cron.zone && getNextFire(getSchedule(cron), facts.zone, cron.slot - 1) !== cron.slot) {
    // The slot does not exist in the current zone.
    const planned = plan(state, facts.zone, now);
    return decided(planned.state, { type: "nothing" }, [...planned.effects, { type: "index-cron" }]);
  }
  if (cron.dueAt > now) return decided(state, { type: "nothing" }, [remindAt(cron.dueAt)]);
  if (now - cron.dueAt > lateMs && cron.dueAt - cron.slot < spreadAtMostMs) {
    const dueAt = now + getSpreadMs(cron.id);
    return decided({ ...state, cron: { ...cron, dueAt } }, { type: "nothing" }, [remindAt(dueAt)]);
  }
  const { toFire, toSkip } = getMissedSlots(getSchedule(cron), facts.zone, cron.slot, now);
  const planned = plan(state, facts.zone, now);
  const fire = createFire(planned.state, command, facts, now);
  for (const slot of toSkip) {
    if (!hasFired(slot)) fire.skipAll(slot, "The slot was missed, because the service did not run at its time.");
  }
  if (toFire !== null && !hasFired(toFire)) fire.runAll(toFire);
  return fire.decide(planned.effects, state);
}

const remindAt = (at: number) => ({ type: "remind" as const, name: "fire" as const, at });

/**
 * Fires one slot, regardless of the time (`POST /dev/crons/{cronId}/due`). A slot that has already
 * fired does not fire again.
 */
export function fireSlot(
  state: CronState,
  command: FireIds & { slot: number | null; fired: readonly FiredRun[] | null },
  facts: FireFacts,
  now: number,
): CronDecision<DueResult> {
  const { cron } = state;
  const slot = command.slot ?? cron.slot;
  if (command.fired !== null) return decided(state, { type: "fired", runs: [...command.fired], slots: [] });
  if (slot === null || cron.slot === null) return decided(state, { type: "nothing" });
  if (getNextFire(getSchedule(cron), facts.zone, slot - 1) !== slot) {
    return refuse(
      "BAD_REQUEST",
      `The schedule does not fire at this time. It fires next at ${new Date(cron.slot).toISOString()}.`,
    );
  }
  const planned = plan(state, facts.zone, Math.max(slot, cron.slot - 1));
  const fire = createFire(planned.state, command, facts, now);
  fire.runAll(slot);
  return fire.decide(planned.effects, state);
}

/** Collects the runs of one fire. `askedBy` is null for a scheduled fire. */
export function createFire(
  start: CronState,
  ids: FireIds,
  facts: FireFacts,
  now: number,
  askedBy: CronWriter | null = null,
) {
  let state = start;
  const ofCron = { cronName: start.cron.name, bounds: getRunBounds(start.cron, askedBy) };
  const opens: NewRun[] = [];
  const ends: EndedRun[] = [];
  const fired: FiredRun[] = [];
  const slots = new Map<number, FiredRun[]>();

  function note(run: FiredRun, slot: number | null): void {
    fired.push(run);
    if (slot === null) return;
    const ofSlot = slots.get(slot);
    if (ofSlot) ofSlot.push(run);
    else slots.set(slot, [run]);
  }

  function end(
    project: CronProject,
    slot: number | null,
    ended: Omit<EndedRun, "runId" | "projectId" | "projectName" | "slot" | "createdAt" | "completedAt">,
  ) {
    const { projectId, name } = project;
    const runId = ids.newRunId();
    ends.push({ runId, projectId, projectName: name, slot, createdAt: now, completedAt: now, ...ended });
    note({ runId, projectId, status: ended.status }, slot);
  }

  function skip(project: CronProject, slot: number | null, summary: string): void {
    end(project, slot, { status: "skipped", summary, error: null, errorCode: null });
  }

  function run(project: CronProject, slot: number | null): void {
    const { projectId } = project;
    const known = facts.projects.find(({ id }) => id === projectId);
    const skipped = findSkip(state, projectId, facts);
    if (skipped !== null) {
      skip(project, slot, skipped);
      return;
    }
    const refused = checkRun(state.cron, known ?? null, facts);
    const model = findModelForRun(state.cron, facts);
    if (refused || !known?.mainSandboxKey || model === null) {
      const { error, errorCode } = refused ?? { error: "The run could not be started.", errorCode: null };
      end(project, slot, { status: "failed", summary: null, error, errorCode });
      state = { ...state, cron: { ...state.cron, lastRunAt: now } };
      state = countRun(state, { projectId, status: "failed", error, isCounted: true }, now);
      return;
    }
    const runId = ids.newRunId();
    const { name: projectName, mainSandboxKey, targetBranch: branch } = known;
    opens.push({ runId, projectId, projectName, slot, model, mainSandboxKey, branch, ...ofCron, createdAt: now });
    note({ runId, projectId, status: "queued" }, slot);
    const started: RunInFlight = { runId, projectId, isOpen: false, createdAt: now };
    state = { ...state, inFlight: [...state.inFlight, started], cron: { ...state.cron, lastRunAt: now } };
    state = countRun(state, { projectId, status: "running", error: null, isCounted: true }, now);
  }

  const active = () => state.projects.filter(({ pausedAt }) => pausedAt === null);
  return {
    run,
    runAll(slot: number) {
      for (const project of active()) run(project, slot);
    },
    skipAll(slot: number, summary: string) {
      for (const project of active()) skip(project, slot, summary);
    },
    decide(effects: CronEffect[], before: CronState): CronDecision<DueResult> {
      const settled = disableIfIdle(state);
      const { prompt } = state.cron;
      const openings: CronEffect[] = [
        { type: "open-runs", id: ids.fireId, prompt, opens, ends: ends.slice(0, endsPerEffect) },
      ];
      for (let at = endsPerEffect; at < ends.length; at += endsPerEffect)
        openings.push({
          type: "open-runs",
          id: ids.newRunId(),
          prompt,
          opens: [],
          ends: ends.slice(at, at + endsPerEffect),
        });
      const result: DueResult = {
        type: "fired",
        runs: fired,
        slots: [...slots].map(([slot, runs]) => ({ slot, runs })),
      };
      return decided(settled, result, [...effects, ...cancelPlannedFire(before, settled), ...openings]);
    },
  };
}
