// A cron through events of any kind, in any order and any number: at most one of its runs is
// running in a project, and its counts are right.
import { describe, expect, test } from "vitest";
import { type CronDecision, type CronState, createCron, deleteCron } from "../../../src/cron/rules/cron.ts";
import { type DueResult, type FireFacts, fireDue, fireSlot } from "../../../src/cron/rules/fire.ts";
import { deleteProject, resumeProject, updateCron } from "../../../src/cron/rules/project-pause.ts";
import { cancelUnopenedRuns, type RunEnded, recordOpenedRuns, recordRunEnd } from "../../../src/cron/rules/run-end.ts";
import { runNow } from "../../../src/cron/rules/run-now.ts";
import type { FiredRun } from "../../../src/cron/rules/run-status.ts";
import { catalog } from "../../../src/model/catalog.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { noSpend } from "../../../src/usage/rules/spend-limit.ts";
import { randomSource } from "../../support/random-source.ts";

const zone = "UTC";
const hour = 3_600_000;
const by = { userId: "u", as: "person" } as const;
const all = ["a", "b", "c"] as const;
const facts: FireFacts = {
  zone,
  isSuspended: false,
  catalog,
  runnable: new Set(["anthropic"]),
  workspaceDefaultModel: null,
  isBlockedOnBilling: false,
  workspaceSpend: noSpend,
  // One project is not deployed, so its runs fail when they fire.
  projects: all.map((id) => ({ id, name: id, targetBranch: "main", mainSandboxKey: id === "c" ? null : `m${id}` })),
};

/** The expected state of a project, by a simple model. */
interface Account {
  failures: number;
  isPaused: boolean;
}

function beginLife(seed: number) {
  const random = randomSource(seed);
  const projects = (ids: readonly string[]) => ids.map((projectId) => ({ projectId, name: projectId }));
  const draft = { name: "n", prompt: "p", cronExpression: "0 * * * *", model: "anthropic:opus__low" };
  let now = Date.UTC(2027, 0, 1);
  let next = 0;
  const accounts = new Map<string, Account>();
  const met = new Set<string>();
  /** All decisions so far, without the runs that have ended. */
  const decided: { run: FiredRun; slot: number | null; end: RunEnded | null }[] = [];
  const fired = new Map<number, FiredRun[]>();
  let state = after(
    createCron(
      null,
      { id: "c", workspaceId: "w", createdBy: "u", writtenBy: by, zone, ...draft, projects: projects(["a", "b"]) },
      now,
    ),
  );
  for (const id of ["a", "b"]) accounts.set(id, { failures: 0, isPaused: false });

  function after<Result>(decision: CronDecision<Result>): CronState {
    if (isRefusal(decision) || decision.state === null) throw new Error(JSON.stringify(decision));
    return decision.state;
  }

  const ids = () => ({ fireId: `fire ${next}`, newRunId: () => `run ${next++}` });
  const going = () => decided.filter(({ run, end }) => run.status === "queued" && end === null);
  const startOver = (id: string) => accounts.set(id, { failures: 0, isPaused: false });

  function count({ projectId }: FiredRun, { status, isCounted }: Pick<RunEnded, "status" | "isCounted">): void {
    const account = accounts.get(projectId);
    if (!account) return;
    if (status === "succeeded") account.failures = 0;
    if (status === "failed" && isCounted) account.failures += 1;
    if (account.failures >= 5) account.isPaused ||= status === "failed";
  }

  /**
   * Checks the decision of a fire: one run for each project of it, and a skipped one exactly where
   * a run was running.
   */
  function take(decision: CronDecision<DueResult>, expected: readonly string[] | null): void {
    if (isRefusal(decision)) {
      expect(expected ?? []).toEqual([]);
      return;
    }
    state = after(decision);
    if (decision.result.type === "nothing") return;
    const [opening] = decision.effects.filter(({ type }) => type === "open-runs");
    if (opening?.type !== "open-runs") throw new Error("nothing opens the runs");
    const told = new Map([...opening.opens, ...opening.ends].map((run) => [run.runId, run]));
    expect(decision.result.runs.map(({ runId }) => told.has(runId))).toEqual(decision.result.runs.map(() => true));
    expect(told.size).toBe(decision.result.runs.length);
    const { slots } = decision.result;
    // The slots that passed in between leave rows that run nothing.
    const newest = slots.at(-1);
    for (const { runs } of slots.slice(0, -1))
      expect(runs.map(({ status }) => status)).toEqual(runs.map(() => "skipped"));
    for (const { slot, runs } of slots) {
      expect(runs.map(({ runId }) => told.get(runId)?.slot)).toEqual(runs.map(() => slot));
      fired.set(slot, runs);
    }
    const runs = newest?.runs ?? decision.result.runs;
    const busy = new Set(going().map(({ run }) => run.projectId));
    expect(runs.map(({ projectId }) => projectId).sort()).toEqual([...(expected ?? [])].sort());
    for (const run of runs) {
      const expectedStatus = run.projectId === "c" ? "failed" : busy.has(run.projectId) ? "skipped" : "queued";
      expect([run.projectId, run.status]).toEqual([run.projectId, expectedStatus]);
      if (run.status === "failed") count(run, { status: "failed", isCounted: true });
    }
    for (const run of decision.result.runs) decided.push({ run, slot: told.get(run.runId)?.slot ?? null, end: null });
  }

  const active = () => [...accounts].filter(([, { isPaused }]) => !isPaused).map(([id]) => id);
  const live = () => (state.cron.slot === null ? null : active());

  const deeds = {
    alarm() {
      now = random.oneIn(3) ? now : Math.max(now, state.cron.dueAt ?? now);
      const hasFired = (slot: number) => fired.has(slot);
      take(fireDue(state, { ...ids(), hasFired }, facts, now), live());
    },
    slot() {
      const { slot } = state.cron;
      const again = random.oneIn(3) ? random.pick([slot, ...fired.keys()]) : slot;
      const known = again === null ? null : (fired.get(again) ?? null);
      const decision = fireSlot(state, { ...ids(), slot: again, fired: known }, facts, now);
      if (known) return expect(decision).toMatchObject({ state, result: { runs: known }, effects: [] });
      take(decision, live());
    },
    runNow() {
      const named = random.oneIn(2) ? null : random.pick([["a"], ["b"], ["c"], ["a", "b"], ["z"]]);
      const isKnown = named?.every((id) => accounts.has(id)) ?? true;
      take(runNow(state, { ...ids(), projectIds: named, by }, facts, now), isKnown ? (named ?? active()) : null);
    },
    open() {
      const runIds = going()
        .filter(() => random.oneIn(2))
        .map(({ run }) => run.runId);
      state = after(recordOpenedRuns(state, [...runIds, "unknown"]));
    },
    end() {
      const [one] = going().filter(() => random.oneIn(2));
      if (!one) return;
      const status = random.pick(["failed", "failed", "failed", "failed", "succeeded", "cancelled"] as const);
      one.end = { runId: one.run.runId, status, error: "e", isCounted: status !== "failed" || !random.oneIn(6) };
      state = after(recordRunEnd(state, one.end, now));
      count(one.run, one.end);
    },
    endAgain() {
      const [over] = decided.filter(({ end }) => end !== null).slice(-random.below(5));
      const ended: RunEnded = over?.end ?? { runId: "unknown", status: "failed", error: "e", isCounted: true };
      expect(after(recordRunEnd(state, { ...ended, status: "failed" }, now))).toBe(state);
    },
    giveUp() {
      const [one] = going().filter(({ run }) =>
        state.inFlight.some(({ runId, isOpen }) => runId === run.runId && !isOpen),
      );
      if (!one) return;
      const { runId, projectId } = one.run;
      const run = {
        runId,
        projectId,
        projectName: "p",
        slot: one.slot,
        model: "m",
        mainSandboxKey: "m",
        branch: "b",
        cronName: "n",
        bounds: { writer: null, isAskedByAgent: false },
        createdAt: now,
      };
      const decision = cancelUnopenedRuns(state, { fireId: "g", prompt: "p", runs: [run], cause: "silent" }, now);
      state = after(decision);
      one.end = { runId, status: "failed", error: "e", isCounted: true };
      count(one.run, one.end);
      // Its row, and the message to its object in case that has it.
      if (!isRefusal(decision))
        expect(decision.effects.map(({ type }) => type)).toEqual(expect.arrayContaining(["stop-run", "open-runs"]));
    },
    edit() {
      const chosen = random.oneIn(3) ? [...all].filter(() => random.oneIn(2)) : [];
      state = after(
        updateCron(
          state,
          { changes: chosen.length > 0 ? { projects: projects(chosen) } : { name: "m" }, zone, by },
          now,
        ),
      );
      if (chosen.length > 0) for (const id of accounts.keys()) if (!chosen.includes(id as "a")) accounts.delete(id);
      for (const id of chosen.length > 0 ? chosen : accounts.keys()) startOver(id);
    },
    pause() {
      state = after(updateCron(state, { changes: { enabled: false }, zone, by }, now));
      for (const id of accounts.keys()) startOver(id);
    },
    enable() {
      const decision = updateCron(state, { changes: { enabled: true }, zone, by }, now);
      if (accounts.size === 0) return expect(decision).toMatchObject({ code: "BAD_REQUEST" });
      state = after(decision);
      for (const id of accounts.keys()) startOver(id);
      expect([state.cron.enabled, state.cron.disabledReason]).toEqual([true, null]);
    },
    nothing() {
      expect(after(updateCron(state, { changes: {}, zone, by }, now))).toBe(state);
    },
    resume() {
      const projectId = random.pick(all);
      const decision = resumeProject(state, { projectId, zone }, now);
      if (!accounts.has(projectId)) return expect(isRefusal(decision)).toBe(true);
      state = after(decision);
      startOver(projectId);
    },
    drop() {
      const projectId = random.pick(all);
      const decision = deleteProject(state, projectId);
      state = after(decision);
      accounts.delete(projectId);
      const stopped = going().filter(({ run }) => run.projectId === projectId);
      const stops = isRefusal(decision)
        ? []
        : decision.effects.flatMap((one) => (one.type === "stop-run" ? [one.id] : []));
      expect(stops).toEqual(stopped.map(({ run }) => run.runId));
    },
    remove() {
      const starting = state.inFlight.some(({ isOpen }) => !isOpen);
      const decision = deleteCron(state);
      expect(isRefusal(decision) ? decision.code : decision.state).toEqual(starting ? "CRON_RUN_STARTING" : null);
    },
  };

  function compare(): void {
    const inFlight = state.inFlight.map(({ runId }) => runId);
    expect(inFlight).toEqual(going().map(({ run }) => run.runId));
    const busy = state.inFlight.map(({ projectId }) => projectId);
    expect(new Set(busy).size).toBe(busy.length);
    const counted = state.projects.map(({ projectId, failures, pausedAt }) => [projectId, failures, pausedAt !== null]);
    expect(counted.sort()).toEqual(
      [...accounts].map(([id, { failures, isPaused }]) => [id, failures, isPaused]).sort(),
    );
    const canRun = active().length > 0;
    if (!canRun)
      expect([accounts, state.cron.enabled, state.cron.disabledReason]).toEqual([
        accounts,
        false,
        state.cron.disabledReason,
      ]);
    expect([state.cron.slot !== null, state.cron.dueAt !== null]).toEqual([state.cron.enabled, state.cron.enabled]);
    if (state.cron.enabled) expect(state.cron.disabledReason).toBeNull();
    if (state.cron.slot !== null) expect((state.cron.dueAt ?? 0) - state.cron.slot).toBeGreaterThanOrEqual(0);
  }

  return {
    met,
    step() {
      const often = ["alarm", "alarm", "slot", "runNow", "open", "end", "end", "end", "end", "endAgain"] as const;
      const seldom = ["giveUp", "edit", "pause", "enable", "enable", "nothing", "resume", "drop", "remove"] as const;
      const deed = random.oneIn(4) ? random.pick(seldom) : random.pick(often);
      now += random.oneIn(3) ? random.below(2 * hour) : random.below(60_000);
      deeds[deed]();
      compare();
      met.add(deed);
      if (state.projects.some(({ pausedAt }) => pausedAt !== null)) met.add("a pause");
      if (state.cron.disabledReason !== null) met.add("a cron disabled itself");
    },
    /** No slot leaves two runs in a project. */
    expectOnce() {
      const slots = decided.filter(({ slot }) => slot !== null).map(({ run, slot }) => `${run.projectId} ${slot}`);
      expect(new Set(slots).size).toBe(slots.length);
    },
  };
}

describe("fires, ends, stops, edits and repeats in any order", () => {
  const met = new Set<string>();
  test.each([1, 2, 3, 4, 5])("of the seeds from %i00", (hundred) => {
    for (let seed = hundred * 100; seed < hundred * 100 + 50; seed += 1) {
      const life = beginLife(seed);
      for (let step = 0; step < 80; step += 1) life.step();
      life.expectOnce();
      for (const one of life.met) met.add(one);
    }
  });

  test("contain every kind of event", () => {
    expect(met.size).toBe(16);
  });
});
