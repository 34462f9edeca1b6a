// A sandbox's whole life as one table: the effect of every event on a sandbox in every state. A
// cell names the state afterwards and the actions; a refusal is its code. Without a cell, the state
// stays and nothing is done.
import { describe, expect, it } from "vitest";
import { idleBeforePauseMs } from "../../../src/rules/limits.ts";
import { isRefusal, refuse } from "../../../src/rules/refusal.ts";
import {
  changed,
  lost,
  occupy,
  release,
  type Sandbox,
  type SandboxDecision,
  type SandboxLifeState,
  sandboxStates,
  saved,
  started,
  startFailed,
  touch,
  wake,
} from "../../../src/sandbox/rules/lifecycle.ts";
import {
  cancelPause,
  destroy,
  paused,
  pauseIfIdle,
  pauseOverdue,
  stopGracefully,
} from "../../../src/sandbox/rules/pause.ts";
import { dropWork } from "../../../src/sandbox/rules/reclaim.ts";
import { command, holder, sandbox } from "../../support/sandbox-state.ts";
import { now } from "../../support/session-state.ts";

type Event = (sandbox: Sandbox) => SandboxDecision<unknown>;

/** The sandboxes of the table are in their second generation. */
const generation = 2;
const before = 1;
const noRoom = refuse("SANDBOX_LIMIT_REACHED");
const longAgo = now - 2 * idleBeforePauseMs;

const events = {
  "is woken": (it) => wake(it, command, now),
  "has started": (it) => started(it, { generation: generation, paysABase: false }, now),
  "has failed to start": (it) => startFailed(it, generation, noRoom, now),
  "is found stopped, or discarded": (it) => lost(it, generation),
  "is used": (it) => touch(it, now),
  "is taken by a turn": (it) => occupy(it, holder("turn-1"), now),
  "is let go by its turn": (it) => release({ ...it, holders: [holder("turn-1")] }, "turn-1", now),
  "is changed by hand": (it) => changed(it, now),
  "is saved": (it) => saved(it, { generation, archiveKey: "work-2" }),
  "is looked at after its idle time": (it) => pauseIfIdle({ ...it, lastUsedAt: longAgo }, now),
  "is looked at within its idle time": (it) => pauseIfIdle({ ...it, lastUsedAt: now }, now),
  "is looked at while a turn holds it": (it) =>
    pauseIfIdle({ ...it, holders: [holder("turn-1")], lastUsedAt: longAgo }, now),
  "has work while it is saved for its pause": (it) => cancelPause(it, now),
  "has ended for its pause": (it) => paused(it, generation),
  "has not come to the end of its pause": (it) => pauseOverdue(it),
  "is over with its session": (it) => stopGracefully(it, now),
  "is deleted with its session": (it) => destroy(it),
  "outlived its session for long": (it) => dropWork(it),
  "(older) has started": (it) => started(it, { generation: before, paysABase: false }, now),
  "(older) has failed to start": (it) => startFailed(it, before, noRoom, now),
  "(older) is found stopped, or discarded": (it) => lost(it, before),
  "(older) is saved": (it) => saved(it, { generation: before, archiveKey: "work-0" }),
  "(older) has ended for its pause": (it) => paused(it, before),
  "(older) is let go by its turn": (it) => release({ ...it, holders: [holder("turn-2")] }, "turn-1", now),
} satisfies Record<string, Event>;

type Cells = Partial<Record<SandboxLifeState, string>>;

const begins = "remind start-overdue, start";
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
  "has started": {
    creating: "running, forget start-overdue, remind idle",
    resuming: "running, forget start-overdue, remind idle",
  },
  "has failed to start": { creating: `absent, ${isOver}`, resuming: `paused, ${isOver}` },
  "is found stopped, or discarded": { running: "paused, forget idle, end" },
  "is used": {},
  "is taken by a turn": {},
  "is let go by its turn": { running: "running, save" },
  "is changed by hand": { running: "running, save" },
  "is saved": { absent: "paused" },
  "is looked at after its idle time": { running: pauses },
  "is looked at within its idle time": { running: "running, remind idle" },
  "is looked at while a turn holds it": { running: "running, remind idle" },
  "has work while it is saved for its pause": { pausing: "running, forget pause-overdue, remind idle" },
  "has ended for its pause": { pausing: "paused, forget pause-overdue" },
  "has not come to the end of its pause": { pausing: "paused, end" },
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
  "(older) has started": {},
  "(older) has failed to start": {},
  "(older) is found stopped, or discarded": {},
  "(older) is saved": {},
  "(older) has ended for its pause": {},
  "(older) is let go by its turn": {},
};

const hasWork = (state: SandboxLifeState) => state !== "absent" && state !== "creating" && state !== "gone";
const rows = Object.entries(events) as [keyof typeof events, Event][];

describe.each(rows)("a sandbox that %s", (name, event) => {
  it.each(sandboxStates)("when it is %s", (state) => {
    const decision = event(sandbox(state, { archiveKey: hasWork(state) ? "work-1" : null }));
    const expected = table[name][state] ?? state;
    if (isRefusal(decision)) return expect(decision.code).toBe(expected);
    const done = decision.effects.map((effect) => ("name" in effect ? `${effect.type} ${effect.name}` : effect.type));
    expect([decision.state.state, ...done].join(", ")).toBe(expected);
    // Only a wake begins a new generation.
    expect(decision.state.generation).toBe(expected.includes(begins) ? generation + 1 : generation);
    // A deadline is set before what it watches.
    if (done.includes("start")) expect(done.indexOf("remind start-overdue")).toBeLessThan(done.indexOf("start"));
    if (done.includes("pause")) expect(done.indexOf("remind pause-overdue")).toBeLessThan(done.indexOf("pause"));
  });
});
