import { describe, expect, it } from "vitest";
import { shortestTailMs } from "../../../src/rules/limits.ts";
import { refuse } from "../../../src/rules/refusal.ts";
import {
  addHolder,
  isStarting,
  recordLoss,
  recordReading,
  recordSave,
  recordStart,
  recordView,
  release,
  sandboxStates,
  startDeadlineMs,
  startFailed,
  useNotedEveryMs,
  wake,
} from "../../../src/sandbox/rules/lifecycle.ts";
import type { SandboxOwner } from "../../../src/sandbox/rules/owner.ts";
import { pauseIfIdle, recordPaused, stopGracefully } from "../../../src/sandbox/rules/pause.ts";
import { createSandboxKey } from "../../../src/sandbox/rules/sandbox-key.ts";
import { command, createStart, holder, owner, sandbox, statesBut, used } from "../../support/sandbox-state.ts";
import { accepted, now, refusalCode } from "../../support/session-state.ts";

const noSlot = refuse("SANDBOX_LIMIT_REACHED");

describe("waking a sandbox", () => {
  it.each([
    ["absent", "creating"],
    ["paused", "resuming"],
  ] as const)("starts an %s one, in a new generation and with a deadline", (state, next) => {
    const woken = accepted(
      wake(sandbox(state, { failure: { refusal: noSlot, at: now, isCalledOff: false } }), command, now),
    );
    expect(woken.result).toBe("starting");
    expect(woken.state).toMatchObject({ state: next, generation: 3, secret: "new secret" });
    expect(woken.state).not.toHaveProperty("failure");
    expect(woken.effects).toEqual([
      { type: "remind", name: "start-overdue", at: now + startDeadlineMs },
      { type: "start", id: 3 },
    ]);
  });

  it("keeps the saved work of a paused one for the restore", () => {
    expect(accepted(wake(sandbox("paused"), command, now)).state.archiveKey).toBe("work-1");
  });

  it.each(["creating", "resuming"] as const)("joins the start of one that is %s", (state) => {
    const before = sandbox(state);
    expect(wake(before, command, now)).toEqual({ state: before, result: "starting", effects: [] });
  });

  it("counts as a use of a running one", () => {
    const woken = accepted(wake(sandbox("running"), command, now));
    expect([woken.result, woken.effects]).toEqual(["running", []]);
    expect(woken.state).toEqual({ ...sandbox("running"), lastUsedAt: now });
  });

  it.each([
    ["pausing", "SANDBOX_STARTING"],
    ["gone", "BAD_REQUEST"],
  ] as const)("is refused while it is %s", (state, code) => {
    expect(refusalCode(wake(sandbox(state), command, now))).toBe(code);
  });

  const others: SandboxOwner[] = [
    { ...owner, id: "session-2" },
    { ...owner, type: "main" },
    { ...owner, type: "spare" },
  ];
  it.each(sandboxStates.flatMap((state) => others.map((other) => [state, other.type, other] as const)))(
    "never takes one that is %s if it has another owner (%s)",
    (state, _, other) => {
      expect(refusalCode(wake(sandbox(state), { ...command, owner: other }, now))).toBe("BAD_REQUEST");
    },
  );

  it("uses its owner's current branches", () => {
    const moved = { ...owner, baseBranch: "next" };
    expect(accepted(wake(sandbox("paused"), { ...command, owner: moved }, now)).state.owner).toEqual(moved);
  });
});

describe("a start", () => {
  it.each(["creating", "resuming"] as const)("that succeeded makes the one that is %s run", (state) => {
    const { state: after, result, effects } = accepted(recordStart(sandbox(state), createStart(2), now));
    expect([after.state, after.lastUsedAt, result]).toEqual(["running", now, { isCurrent: true }]);
    expect(effects).toEqual([
      { type: "forget", name: "start-overdue" },
      { type: "remind", name: "idle", at: now + shortestTailMs + useNotedEveryMs },
    ]);
  });

  it("that a prebuild would have made faster is followed by the making of a prebuild", () => {
    const { effects } = accepted(recordStart(sandbox("creating"), createStart(2, true), now));
    expect(effects).toContainEqual({ type: "make-base", id: 2 });
  });

  it("that updated an older prebuild asks whether a newer one is worth it, and not if one is missing anyway", () => {
    const made = (more: object) =>
      accepted(recordStart(sandbox("creating"), { ...createStart(2), ...more }, now)).effects;
    expect(made({ prebuildUpdateMs: 900 })).toContainEqual({ type: "make-base", id: 2, movedMs: 900 });
    expect(made({ prebuildUpdateMs: 900, isPrebuildWorthwhile: true })).toContainEqual({ type: "make-base", id: 2 });
    expect(made({ prebuildUpdateMs: null })).not.toContainEqual(expect.objectContaining({ type: "make-base" }));
  });

  it.each([
    ["creating", null, "absent"],
    ["resuming", "work-1", "paused"],
  ] as const)(
    "that failed restores the earlier state of one that is %s, with the reason",
    (state, archiveKey, before) => {
      const failed = accepted(startFailed(sandbox(state, { archiveKey, holders: [holder("turn-1")] }), 2, noSlot, now));
      const failure = { refusal: noSlot, at: now, isCalledOff: false };
      expect(failed.state).toMatchObject({ state: before, archiveKey, failure, holders: [] });
      expect(failed.effects).toEqual([
        { type: "forget", name: "start-overdue" },
        { type: "end", id: 2 },
      ]);
      expect(accepted(wake(failed.state, command, now)).state.generation).toBe(3);
    },
  );

  it.each(["creating", "resuming"] as const)("of an older generation changes nothing of one that is %s", (state) => {
    const before = sandbox(state);
    for (const outcome of [recordStart(before, createStart(1), now), startFailed(before, 1, noSlot, now)])
      expect(outcome).toEqual({ state: before, result: { isCurrent: false }, effects: [] });
  });

  it.each(statesBut("creating", "resuming"))("changes nothing of one that is %s", (state) => {
    const before = sandbox(state);
    for (const outcome of [recordStart(before, createStart(2), now), startFailed(before, 2, noSlot, now)])
      expect(outcome).toEqual({ state: before, result: { isCurrent: false }, effects: [] });
  });

  it("is in flight in two states", () => {
    expect(sandboxStates.filter((state) => isStarting(sandbox(state)))).toEqual(["creating", "resuming"]);
  });
});

describe("a running sandbox that is lost", () => {
  it.each([
    ["with saved work can be resumed from it", "work-1", "paused"],
    ["without saved work is absent", null, "absent"],
  ])("%s", (_, archiveKey, state) => {
    const {
      state: after,
      result,
      effects,
    } = accepted(recordLoss(sandbox("running", { archiveKey, holders: [holder("turn-1")] }), 2));
    expect([after.state, after.archiveKey, after.holders, result]).toEqual([
      state,
      archiveKey,
      [],
      { isCurrent: true },
    ]);
    expect(effects).toEqual([
      { type: "forget", name: "idle" },
      { type: "end", id: 2 },
    ]);
  });

  it("is ignored for an older generation", () => {
    expect(recordLoss(sandbox("running"), 1)).toEqual({
      state: sandbox("running"),
      result: { isCurrent: false },
      effects: [],
    });
  });

  it.each(statesBut("running"))("is ignored if it is %s", (state) => {
    expect(accepted(recordLoss(sandbox(state), 2)).effects).toEqual([]);
  });
});

describe("use", () => {
  it("counts from a touch, recorded at most once a second", () => {
    const before = sandbox("running", { lastLookedAt: used });
    expect(accepted(recordView(before, used + 999)).state).toBe(before);
    expect(accepted(recordView(before, used + 1_000)).state.lastUsedAt).toBe(used + 1_000);
  });

  it("counts from the start and the end of a turn", () => {
    const held = accepted(addHolder(sandbox("running"), holder("turn-1"), now)).state;
    expect(held).toMatchObject({ holders: [holder("turn-1")], lastUsedAt: now });
    expect(accepted(release(held, "turn-1", now + 5)).state).toMatchObject({ holders: [], lastUsedAt: now + 5 });
  });

  it("by a turn lasts through the start that the turn waits for", () => {
    const starting = accepted(
      wake(accepted(addHolder(sandbox("paused"), holder("turn-1"), now)).state, command, now),
    ).state;
    expect(accepted(recordStart(starting, createStart(3), now)).state.holders).toEqual([holder("turn-1")]);
  });
});

/** A turn is checked on more seldom than a short tail lasts. */
const idleReminder = { type: "remind", name: "idle", at: now + shortestTailMs + useNotedEveryMs };

describe("an ended turn", () => {
  it("has its work saved afterwards", () => {
    const { effects } = accepted(release(sandbox("running", { holders: [holder("turn-1")] }), "turn-1", now));
    expect(effects).toEqual([{ type: "save", id: 2 }, idleReminder]);
  });

  it("saves nothing if the sandbox does not run", () => {
    expect(accepted(release(sandbox("paused", { holders: [holder("turn-1")] }), "turn-1", now)).effects).toEqual([]);
  });

  it("that only read has nothing to save", () => {
    const reading = { ...holder("turn-1"), reads: true };
    const { state, effects } = accepted(release(sandbox("running", { holders: [reading] }), "turn-1", now));
    expect([state.holders, effects]).toEqual([[], [idleReminder]]);
  });

  it("leaves the others that hold the sandbox", () => {
    const reading = { ...holder("turn-2"), reads: true };
    const both = accepted(addHolder(sandbox("running", { holders: [holder("turn-1")] }), reading, now)).state;
    const one = accepted(release(both, "turn-1", now)).state;
    expect([both.holders.length, one.holders]).toEqual([2, [reading]]);
    expect(accepted(pauseIfIdle({ ...one, lastUsedAt: 0 }, now)).state.state).toBe("running");
    const none = accepted(release(one, "turn-2", now)).state;
    expect(accepted(pauseIfIdle({ ...none, lastUsedAt: 0 }, now)).state.state).toBe("pausing");
  });

  it("holds the sandbox once, however often it is handed over", () => {
    const twice = accepted(addHolder(sandbox("running", { holders: [holder("turn-1")] }), holder("turn-1"), now)).state;
    expect(twice.holders).toEqual([holder("turn-1")]);
  });

  it("does not release the sandbox from the next turn", () => {
    const before = sandbox("running", { holders: [holder("turn-2")] });
    expect(release(before, "turn-1", now)).toEqual({ state: before, result: null, effects: [] });
  });
});

describe("saved work", () => {
  it("replaces the previous work, and returns what it replaced", () => {
    const { state, result } = accepted(
      recordSave(sandbox("running"), { generation: 2, archiveKey: "work-2", tookMs: 400 }),
    );
    expect([state.archiveKey, state.state, result]).toEqual(["work-2", "running", { replaced: "work-1" }]);
  });

  it("that is reported twice does not replace itself", () => {
    const { result } = accepted(recordSave(sandbox("running"), { generation: 2, archiveKey: "work-1", tookMs: 400 }));
    expect(result).toEqual({ replaced: null });
  });

  it("of an older generation is deleted itself", () => {
    const { state, result } = accepted(
      recordSave(sandbox("running"), { generation: 1, archiveKey: "work-0", tookMs: 400 }),
    );
    expect([state, result]).toEqual([sandbox("running"), { replaced: "work-0" }]);
  });

  it("of a sandbox that is gone is deleted itself", () => {
    const { state, result } = accepted(
      recordSave(sandbox("gone"), { generation: 2, archiveKey: "work-2", tookMs: 400 }),
    );
    expect([state, result]).toEqual([sandbox("gone"), { replaced: "work-2" }]);
  });

  it("that was stored after its sandbox was lost is used by the next", () => {
    const { state } = accepted(recordSave(sandbox("absent"), { generation: 2, archiveKey: "work-1", tookMs: 400 }));
    expect(state).toMatchObject({ state: "paused", archiveKey: "work-1" });
    expect(accepted(wake(state, command, now)).state).toMatchObject({ state: "resuming", archiveKey: "work-1" });
  });
});

describe("the past of a sandbox", () => {
  const minuteMs = 60_000;

  it("has its wakes, its last save and its gaps, across its lives", () => {
    let it = accepted(wake(sandbox("paused", { past: { saveMs: 9 } }), command, now)).state;
    it = accepted(recordView(it, now + 500)).state;
    it = accepted(recordStart(it, createStart(3), now + 700)).state;
    expect(it.past).toEqual({ saveMs: 9, wakesMs: [700] });
    it = accepted(addHolder(it, holder("turn-1"), now + 800)).state;
    it = accepted(release(it, "turn-1", now + minuteMs)).state;
    it = accepted(recordSave(it, { generation: 3, archiveKey: "work-2", tookMs: 400 })).state;
    it = accepted(stopGracefully(it, now + minuteMs)).state;
    it = accepted(recordPaused(it, 3)).state;
    it = accepted(wake(it, command, now + 3 * minuteMs)).state;
    it = accepted(recordStart(it, createStart(4), now + 3 * minuteMs + 900)).state;
    it = accepted(addHolder(it, holder("turn-2"), now + 4 * minuteMs)).state;
    it = accepted(addHolder(it, holder("turn-3"), now + 5 * minuteMs)).state;
    expect(it.past).toEqual({ saveMs: 400, wakesMs: [900, 700], gapsMs: [3 * minuteMs] });
  });

  it("does not count a start that failed, or a start without saved work", () => {
    const failed = accepted(startFailed(accepted(wake(sandbox("paused"), command, now)).state, 3, noSlot, now)).state;
    const again = accepted(wake(failed, command, now + minuteMs)).state;
    expect(accepted(recordStart(again, createStart(4), now + minuteMs + 300)).state.past).toEqual({ wakesMs: [300] });
    const first = accepted(wake(sandbox("absent"), command, now)).state;
    expect(accepted(recordStart(first, createStart(3), now + minuteMs)).state.past).toEqual({});
  });

  it("begins when the session takes a spare", () => {
    const spare = { ...owner, type: "spare", id: "s0123456789abcdef" } as const;
    const taken = accepted(wake(sandbox("running", { owner: spare, past: { gapsMs: [1] } }), command, now)).state;
    expect(taken.past).toEqual({});
  });

  it("has when a person last followed the chat, and never an earlier time", () => {
    const read = accepted(recordReading(sandbox("running"), now)).state;
    expect([read.past, read.lastUsedAt]).toEqual([{ readAt: now }, now]);
    expect(accepted(recordReading(read, now - 1)).state).toBe(read);
  });
});

describe("a sandbox key", () => {
  it("is s for a session or m for a main sandbox, and 16 characters", () => {
    expect(createSandboxKey("session", "0123456789abcdef")).toBe("s0123456789abcdef");
    expect(createSandboxKey("main", "0123456789abcdef")).toBe("m0123456789abcdef");
  });

  it.each(["", "0123456789abcde", "0123456789abcdef0"])("cannot be %j", (name) => {
    expect(() => createSandboxKey("session", name)).toThrow(RangeError);
  });
});
