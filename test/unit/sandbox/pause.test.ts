import { describe, expect, it } from "vitest";
import { awayHoldMs, idleBeforePauseMs } from "../../../src/rules/limits.ts";
import {
  isUp,
  recordSave,
  recordStart,
  recordView,
  startFailed,
  useNotedEveryMs,
  wake,
} from "../../../src/sandbox/rules/lifecycle.ts";
import {
  destroy,
  getIdleFrom,
  pauseDeadlineMs,
  pauseIfIdle,
  pauseLookMs,
  pauseOverdue,
  recordPaused,
  stopGracefully,
} from "../../../src/sandbox/rules/pause.ts";
import type { StoredSandbox } from "../../../src/sandbox/rules/row.ts";
import { command, createStart, holder, owner, sandbox, statesBut } from "../../support/sandbox-state.ts";
import { accepted, now, refusalCode } from "../../support/session-state.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const spare = { ...owner, type: "spare" } as const;
/** Their tails are 40 s and 7:10. */
const small = { wakesMs: [300] };
const large = { wakesMs: [10_000] };
const hour = 60 * minuteMs;

// The last uses, and for how many more seconds the sandbox runs. A negative time is before now.
it.each<[string, Partial<StoredSandbox>, number, number]>([
  ["small, and worked in now", { past: small }, 0, 40],
  ["small, and worked in 30 seconds ago", { past: small, lastUsedAt: now - 30 * secondMs }, 0, 10],
  ["large, and worked in now", { past: large }, 0, 300],
  ["large, with somebody who followed its chat", { past: { ...large, readAt: now } }, 0, 430],
  ["large, with somebody who left 5 minutes ago", { past: { ...large, readAt: now - 5 * minuteMs } }, 0, 300],
  ["small, with somebody who followed its chat", { past: { ...small, readAt: now } }, 0, 40],
  ["small, with a preview that was requested now", { past: small, lastLookedAt: now }, 0, 600],
  ["small, with a preview that was requested 9 minutes ago", { past: small, lastLookedAt: now - 9 * minuteMs }, 0, 60],
  ["large, with a preview that was requested an hour ago", { past: large, lastLookedAt: now - hour }, 0, 300],
  ["small, and worked in an hour ago", { past: small, lastUsedAt: now - hour }, 0, 40 - 3_600],
  ["new, and worked in now", {}, 0, 250],
  ["a spare that began now", { owner: spare }, 0, 600],
  ["small, on a machine that keeps sandboxes for an hour", { past: small }, hour, 3_600],
  ["viewed, on a machine that keeps sandboxes for an hour", { past: small, lastLookedAt: now }, hour, 3_600],
])("a sandbox that is %s continues", (_, changes, leastMs, seconds) => {
  // A look may be recorded up to a second late, so the last one may have been that much later.
  const at = now + seconds * secondMs + useNotedEveryMs;
  const it = sandbox("running", { lastUsedAt: now, ...changes });
  expect(isUp(it) && getIdleFrom(it, now, leastMs)).toBe(at);
  if (at > now) {
    const again = accepted(pauseIfIdle(it, now, leastMs));
    expect([again.state.state, again.effects]).toEqual(["running", [{ type: "remind", name: "idle", at }]]);
  }
  const before = accepted(pauseIfIdle(it, at - 1, leastMs));
  expect([before.state.state, before.effects]).toEqual(["running", [{ type: "remind", name: "idle", at }]]);
  expect(accepted(pauseIfIdle(it, at, leastMs)).state.state).not.toBe("running");
});

it("no sandbox stays up longer than the contract says, whatever its past", () => {
  for (const wakeMs of [0, 2_000, 30_000, hour])
    for (const readAt of [0, now]) {
      const it = sandbox("running", { lastUsedAt: now, past: { wakesMs: [wakeMs], readAt } });
      const longestMs = (readAt === now ? idleBeforePauseMs : awayHoldMs) + useNotedEveryMs;
      expect(isUp(it) && getIdleFrom(it, now) - now).toBeLessThanOrEqual(longestMs);
    }
});

it("a look that is reported late counts from its own time, and never shortens anything", () => {
  const worked = sandbox("running", { lastUsedAt: now });
  const looked = accepted(recordView(worked, now - minuteMs)).state;
  expect([looked.lastUsedAt, looked.lastLookedAt]).toEqual([now, now - minuteMs]);
  expect(accepted(recordView(looked, now - 2 * minuteMs)).state).toBe(looked);
});

describe("an idle check", () => {
  it("pauses a sandbox that nobody worked in or looked at, with a deadline set before the save", () => {
    const idle = accepted(pauseIfIdle(sandbox("running", { lastUsedAt: now - awayHoldMs - useNotedEveryMs }), now));
    expect(idle.state.state).toBe("pausing");
    expect(idle.effects).toEqual([
      { type: "remind", name: "pause-overdue", at: now + pauseDeadlineMs },
      { type: "pause", id: 2 },
    ]);
  });

  it("leaves one that a turn works in, however silent the turn is", () => {
    const again = accepted(pauseIfIdle(sandbox("running", { holders: [holder("turn-1")], lastUsedAt: 0 }), now));
    expect(again.state.state).toBe("running");
    expect(again.effects).toEqual([{ type: "remind", name: "idle", at: now + awayHoldMs }]);
  });

  it.each(statesBut("running"))("does nothing to one that is %s", (state) => {
    const before = sandbox(state, { lastUsedAt: 0 });
    expect(pauseIfIdle(before, now)).toEqual({ state: before, result: null, effects: [] });
  });
});

describe("a pause", () => {
  it("is done when the process has ended and the work is saved", () => {
    const { state, effects } = accepted(recordPaused(sandbox("pausing", { archiveKey: "work-1" }), 2));
    expect([state.state, state.archiveKey, effects]).toEqual([
      "paused",
      "work-1",
      [{ type: "forget", name: "pause-overdue" }],
    ]);
  });

  it("without work promises no saved work", () => {
    expect(accepted(recordPaused(sandbox("pausing", { archiveKey: null }), 2)).state.state).toBe("absent");
  });

  it.each([
    ["an older generation", sandbox("pausing"), 1],
    ...statesBut("pausing").map((state) => [`one that is ${state}`, sandbox(state), 2] as const),
  ] as const)("of %s changes nothing", (_, before, generation) => {
    expect(recordPaused(before, generation)).toEqual({ state: before, result: null, effects: [] });
  });
});

describe("a pause that does not end", () => {
  it("ends the sandbox, with the previously saved work", () => {
    const { state, effects } = accepted(pauseOverdue(sandbox("pausing", { archiveKey: "work-1" }), "sandbox", now));
    expect([state.state, state.archiveKey, effects]).toEqual(["paused", "work-1", [{ type: "end", id: 2 }]]);
  });

  it.each(["service", null] as const)("does not end the sandbox if the reason is %s", (delay) => {
    const before = sandbox("pausing", { archiveKey: "work-1" });
    const { state, effects } = accepted(pauseOverdue(before, delay, now));
    expect([state, effects]).toEqual([before, [{ type: "remind", name: "pause-overdue", at: now + pauseLookMs }]]);
  });

  it.each(statesBut("pausing"))("is over when the sandbox is %s", (state) => {
    const before = sandbox(state);
    expect(pauseOverdue(before, "sandbox", now)).toEqual({ state: before, result: null, effects: [] });
  });
});

describe("a sandbox whose session has ended", () => {
  it("is paused immediately if it runs, even with a turn", () => {
    const { state, result, effects } = accepted(
      stopGracefully(sandbox("running", { holders: [holder("turn-1")], lastUsedAt: now }), now),
    );
    expect([state.state, state.archiveKey, result]).toEqual(["pausing", "work-1", true]);
    expect(effects).toEqual([
      { type: "remind", name: "pause-overdue", at: now + pauseDeadlineMs },
      { type: "pause", id: 2 },
    ]);
  });

  it.each([
    ["creating", null, "absent"],
    ["resuming", "work-1", "paused"],
  ] as const)("is aborted if it is %s, with the reason for waiting callers", (state, archiveKey, next) => {
    const retired = accepted(stopGracefully(sandbox(state, { archiveKey }), now));
    const failure = { refusal: { code: "BAD_REQUEST" }, isCalledOff: true };
    expect(retired.state).toMatchObject({ state: next, archiveKey, failure });
    expect(retired.result).toBe(true);
    expect(retired.effects).toEqual([
      { type: "forget", name: "start-overdue" },
      { type: "end", id: 2 },
    ]);
    expect(accepted(recordStart(retired.state, createStart(2), now)).result).toEqual({
      isCurrent: false,
    });
  });

  it.each(statesBut("running", "creating", "resuming"))("does not change if it is %s", (state) => {
    const before = sandbox(state);
    expect(stopGracefully(before, now)).toEqual({ state: before, result: state === "pausing", effects: [] });
  });

  it("can be woken after the session is resumed", () => {
    const retired = accepted(stopGracefully(sandbox("running"), now)).state;
    const asleep = accepted(recordPaused(retired, 2)).state;
    expect(accepted(wake(asleep, command, now)).state).toMatchObject({ state: "resuming", archiveKey: "work-1" });
  });
});

describe("a sandbox whose session is deleted", () => {
  it.each(statesBut("gone"))("is gone if it was %s, without saved work", (state) => {
    const { state: after, effects } = accepted(
      destroy(sandbox(state, { archiveKey: "work-1", holders: [holder("turn-1")] })),
    );
    expect(after).toMatchObject({ state: "gone", archiveKey: null, holders: [] });
    expect(after).not.toHaveProperty("runningSince");
    expect(effects).toContainEqual({ type: "destroy", id: 2 });
    const forgotten = effects.flatMap((effect) => (effect.type === "forget" ? [effect.name] : []));
    expect(forgotten.toSorted()).toEqual(["idle", "pause-overdue", "start-overdue"]);
  });

  it("stays gone, whatever ran at that time", () => {
    const gone = sandbox("gone");
    const news = [
      recordStart(gone, createStart(2), now),
      startFailed(gone, 2, { code: "NOT_FOUND", message: "no" }, now),
      recordSave(gone, { generation: 2, archiveKey: "work-2", tookMs: 400 }),
      recordPaused(gone, 2),
      pauseOverdue(gone, "sandbox", now),
      pauseIfIdle(gone, now),
      stopGracefully(gone, now),
      destroy(gone),
    ];
    for (const decision of news) expect(accepted<unknown, unknown, unknown>(decision).state).toEqual(gone);
    expect(refusalCode(wake(gone, command, now))).toBe("BAD_REQUEST");
  });
});
