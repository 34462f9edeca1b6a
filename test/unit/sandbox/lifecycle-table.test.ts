// A sandbox's whole life as one table: the effect of every event on a sandbox in every state. A
// cell names the state afterwards and the actions; a refusal is its code. Without a cell, the state
// stays and nothing is done.
import { describe, expect, it } from "vitest";
import { recordVisit } from "../../../src/preview/rules/wake-on-visit.ts";
import { idleBeforePauseMs, unusedMainDays } from "../../../src/rules/limits.ts";
import { isRefusal, refuse } from "../../../src/rules/refusal.ts";
import { startInNewContainer } from "../../../src/sandbox/rules/container.ts";
import { deleteWork, reclaim } from "../../../src/sandbox/rules/delete-unused.ts";
import {
  addHolder,
  recordChange,
  recordLoss,
  recordSave,
  recordStart,
  recordView,
  release,
  type Sandbox,
  type SandboxDecision,
  type SandboxLifeState,
  sandboxStates,
  startFailed,
  wake,
} from "../../../src/sandbox/rules/lifecycle.ts";
import { getSpareSandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import {
  cancelPause,
  destroy,
  pauseIfIdle,
  pauseOverdue,
  recordPaused,
  retire,
  stopGracefully,
} from "../../../src/sandbox/rules/pause.ts";
import { recordResetEnd, reset } from "../../../src/sandbox/rules/reset.ts";
import { fromStored, toStored } from "../../../src/sandbox/rules/row.ts";
import { changedTo, command, createStart, holder, owner, sandbox, used } from "../../support/sandbox-state.ts";
import { now } from "../../support/session-state.ts";

type Event = (sandbox: Sandbox) => SandboxDecision<unknown>;

/** The sandboxes of the table are in their second generation. */
const generation = 2;
const before = 1;
const noRoom = refuse("SANDBOX_LIMIT_REACHED");
const longAgo = now - 2 * idleBeforePauseMs;
const unusedLongAgo = now - unusedMainDays * 24 * 60 * 60_000;
const spare = getSpareSandboxOwner(
  { ...owner, id: owner.projectId, targetBranch: owner.baseBranch },
  "s0123456789abcdef",
);
const main = { ...owner, type: "main" } as const;

const events = {
  "is woken": (it) => wake(it, command, now),
  "is claimed as a spare": (it) => wake(changedTo(it, { owner: spare, archiveKey: null }), command, now),
  "is visited": (it) => recordVisit(it, command, now),
  "is visited, and does not resume on visits": (it) =>
    recordVisit(changedTo(it, { resumesOnVisit: false }), command, now),
  "cannot start in the container of its spare": (it) =>
    startInNewContainer(changedTo(it, { containerGeneration: before }), generation),
  "has started": (it) => recordStart(it, { ...createStart(generation), bootId: "boot-2", protocol: 3 }, now),
  "has failed to start": (it) => startFailed(it, generation, noRoom, now),
  "is found stopped, or discarded": (it) => recordLoss(it, generation),
  "is used": (it) => recordView(it, now),
  "is taken by a turn": (it) => addHolder(it, holder("turn-1"), now),
  "is let go by its turn": (it) => release(changedTo(it, { holders: [holder("turn-1")] }), "turn-1", now),
  "is changed by hand": (it) => recordChange(it, now),
  "is saved": (it) => recordSave(it, { generation, archiveKey: "work-2", tookMs: 400 }),
  "is looked at after its idle time": (it) => pauseIfIdle(changedTo(it, { lastUsedAt: longAgo }), now),
  "is looked at within its idle time": (it) => pauseIfIdle(changedTo(it, { lastUsedAt: now }), now),
  "is looked at while a turn holds it": (it) =>
    pauseIfIdle(changedTo(it, { holders: [holder("turn-1")], lastUsedAt: longAgo }), now),
  "is an idle spare": (it) => pauseIfIdle(changedTo(it, { owner: spare, archiveKey: null, lastUsedAt: longAgo }), now),
  "is outdated": (it) => retire(it, "newer", now),
  "is outdated while a turn holds it": (it) => retire(changedTo(it, { holders: [holder("turn-1")] }), "newer", now),
  "is to restart its services": (it) => reset(changedTo(it, { resettingSince: null }), now),
  "has restarted its services": (it) => recordResetEnd(it, generation),
  "has work while it is saved for its pause": (it) => cancelPause(it, now),
  "has ended for its pause": (it) => recordPaused(it, generation),
  "has not come to the end of its pause": (it) => pauseOverdue(it, "sandbox", now),
  "has not come to the end of its pause, without storage": (it) => pauseOverdue(it, "service", now),
  "has not come to the end of its pause, in a restarted object": (it) => pauseOverdue(it, null, now),
  "is over with its session": (it) => stopGracefully(it, now),
  "is deleted with its session": (it) => destroy(it),
  "outlived its session for long": (it) => deleteWork(it),
  "is a main sandbox that was unused for long": (it) =>
    reclaim(changedTo(it, { owner: main, lastUsedAt: unusedLongAgo }), now),
  "(older) cannot start in the container of its spare": (it) => startInNewContainer(it, before),
  "(older) has started": (it) => recordStart(it, createStart(before), now),
  "(older) has failed to start": (it) => startFailed(it, before, noRoom, now),
  "(older) is found stopped, or discarded": (it) => recordLoss(it, before),
  "(older) is saved": (it) => recordSave(it, { generation: before, archiveKey: "work-0", tookMs: 400 }),
  "(older) has ended for its pause": (it) => recordPaused(it, before),
  "(older) is let go by its turn": (it) => release(changedTo(it, { holders: [holder("turn-2")] }), "turn-1", now),
} satisfies Record<string, Event>;

type Cells = Partial<Record<SandboxLifeState, string>>;

const begins = "remind start-overdue, start";
const resumes = `resuming, ${begins}`;
const isOver = "forget start-overdue, end";
const pauses = "pausing, remind pause-overdue, pause";
const isGone = "gone, forget start-overdue, forget idle, forget pause-overdue, destroy";

const table: Record<keyof typeof events, Cells> = {
  "is woken": {
    absent: `creating, ${begins}`,
    paused: `resuming, ${begins}`,
    pausing: "SANDBOX_STARTING",
    gone: "BAD_REQUEST",
  },
  "is claimed as a spare": {
    absent: resumes,
    creating: "BAD_REQUEST",
    running: resumes,
    pausing: resumes,
    paused: resumes,
    resuming: "BAD_REQUEST",
    gone: "BAD_REQUEST",
  },
  "is visited": { absent: `creating, ${begins}`, paused: resumes },
  "is visited, and does not resume on visits": {},
  "cannot start in the container of its spare": {
    creating: "creating, leave-container",
    resuming: "resuming, leave-container",
  },
  "has started": {
    creating: "running, forget start-overdue, remind idle",
    resuming: "running, forget start-overdue, remind idle",
  },
  "has failed to start": { creating: `absent, ${isOver}`, resuming: `paused, ${isOver}` },
  "is found stopped, or discarded": { running: "paused, forget idle, end" },
  "is used": {},
  "is taken by a turn": {},
  "is let go by its turn": { running: "running, save, remind idle" },
  "is changed by hand": { running: "running, save" },
  "is saved": { absent: "paused" },
  "is looked at after its idle time": { running: pauses },
  "is looked at within its idle time": { running: "running, remind idle" },
  "is looked at while a turn holds it": { running: "running, remind idle" },
  "is an idle spare": { running: "absent, end" },
  "is outdated": { running: pauses },
  "is outdated while a turn holds it": {},
  "is to restart its services": {
    absent: "BAD_REQUEST",
    creating: "SANDBOX_STARTING",
    running: "running, restart-services",
    pausing: "BAD_REQUEST",
    paused: "BAD_REQUEST",
    resuming: "SANDBOX_STARTING",
    gone: "BAD_REQUEST",
  },
  "has restarted its services": {},
  "has work while it is saved for its pause": { pausing: "running, forget pause-overdue, remind idle, start-services" },
  "has ended for its pause": { pausing: "paused, forget pause-overdue" },
  "has not come to the end of its pause": { pausing: "paused, end" },
  "has not come to the end of its pause, without storage": { pausing: "pausing, remind pause-overdue" },
  "has not come to the end of its pause, in a restarted object": { pausing: "pausing, remind pause-overdue" },
  "is over with its session": { creating: `absent, ${isOver}`, running: pauses, resuming: `paused, ${isOver}` },
  "is deleted with its session": {
    absent: isGone,
    creating: isGone,
    running: isGone,
    pausing: isGone,
    paused: isGone,
    resuming: isGone,
  },
  "outlived its session for long": { absent: "absent, drop-work", paused: "absent, drop-work" },
  "is a main sandbox that was unused for long": { paused: isGone },
  "(older) cannot start in the container of its spare": {},
  "(older) has started": {},
  "(older) has failed to start": {},
  "(older) is found stopped, or discarded": {},
  "(older) is saved": {},
  "(older) has ended for its pause": {},
  "(older) is let go by its turn": {},
};

const hasWork = (state: SandboxLifeState) => state !== "absent" && state !== "creating" && state !== "gone";
const isUp = (state: SandboxLifeState) => state === "running" || state === "pausing";
function getProcess(sandbox: Sandbox) {
  const { holders, runningSince, bootId, protocol, resettingSince } = toStored(sandbox);
  return { holders, runningSince, bootId, protocol, resettingSince };
}
const noProcess = { holders: [], runningSince: null, bootId: null, protocol: null, resettingSince: null };
const earlierProcess = { ...noProcess, runningSince: used, bootId: "boot-1", protocol: 2, resettingSince: used };
const startedProcess = { ...noProcess, runningSince: now, bootId: "boot-2", protocol: 3 };
const rows = Object.entries(events) as [keyof typeof events, Event][];

describe.each(rows)("a sandbox that %s", (name, event) => {
  it.each(sandboxStates)("when it is %s", (state) => {
    const archiveKey = hasWork(state) ? "work-1" : null;
    const decision = event(sandbox(state, { archiveKey, ...(isUp(state) && earlierProcess) }));
    const expected = table[name][state] ?? state;
    if (isRefusal(decision)) return expect(decision.code).toBe(expected);
    const done = decision.effects.map((effect) => ("name" in effect ? `${effect.type} ${effect.name}` : effect.type));
    expect([decision.state.state, ...done].join(", ")).toBe(expected);
    // A sandbox describes its process from the start of the process to its end.
    const after = decision.state.state;
    if (after !== state) {
      const process = isUp(state) ? earlierProcess : startedProcess;
      expect(getProcess(decision.state)).toEqual(isUp(after) ? process : noProcess);
    }
    // Only a wake begins a new generation.
    expect(decision.state.generation).toBe(expected.includes(begins) ? generation + 1 : generation);
    // A deadline is set before what it watches.
    if (done.includes("start")) expect(done.indexOf("remind start-overdue")).toBeLessThan(done.indexOf("start"));
    if (done.includes("pause")) expect(done.indexOf("remind pause-overdue")).toBeLessThan(done.indexOf("pause"));
  });
});

describe("the row of a sandbox", () => {
  const failure = { refusal: noRoom, at: used, isCalledOff: false };
  const row = { ...earlierProcess, failure, program: "present", setupFailure: "`make` failed", spareBranch: "spare" };

  it.each<[SandboxLifeState, (keyof typeof row)[]]>([
    ["absent", ["failure"]],
    ["paused", ["failure"]],
    ["creating", ["program", "spareBranch"]],
    ["resuming", ["program", "spareBranch"]],
    ["running", ["runningSince", "bootId", "program", "protocol", "resettingSince", "setupFailure"]],
    ["pausing", ["runningSince", "bootId", "program", "protocol", "resettingSince", "setupFailure"]],
    ["gone", []],
  ])("has, while it is %s, what means something then: %s", (state, fields) => {
    const stored = sandbox(state, row);
    const own = Object.keys(row).filter((name) => name in stored && name !== "holders");
    expect(own.toSorted()).toEqual(fields.toSorted());
    for (const field of fields) expect(stored).toHaveProperty(field, row[field]);
    expect(fromStored(toStored(stored))).toEqual(stored);
  });
});
