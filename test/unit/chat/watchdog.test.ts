import { describe, expect, it } from "vitest";
import type { Turn } from "../../../src/chat/rules/turn.ts";
import { type TurnSigns, watchTurn } from "../../../src/chat/rules/watchdog.ts";
import { longestTurnMs, turnSilenceMs } from "../../../src/rules/limits.ts";
import { accepted, chatState, now, turn, waiting } from "../../support/session-state.ts";

const long = turnSilenceMs;
const look = (present: Turn | null, signs: Partial<TurnSigns>, seen: Turn = present ?? turn("running")) =>
  accepted(
    watchTurn(
      chatState({ turn: present, upNext: waiting("a") }),
      { seen, signs: { lastSignAt: null, sandbox: "running", ...signs } },
      now,
    ),
  );

const runningFor = (ms: number) => turn("running", { createdAt: now - ms, startedAt: now - ms });
const pendingFor = (ms: number) => turn("pending", { createdAt: now - ms });

describe("a turn counts as alive", () => {
  it.each<[string, Turn, Partial<TurnSigns>]>([
    [
      "that gave a sign a moment ago, however long it has been silent on disk",
      runningFor(9 * long),
      { lastSignAt: now },
    ],
    ["that was silent almost long enough", runningFor(9 * long), { lastSignAt: now - long + 1 }],
    ["that has just started", runningFor(long - 1), {}],
    [
      "that has just started after a long wait",
      turn("running", { createdAt: now - 9 * long, startedAt: now - 10 }),
      {},
    ],
    ["that started a moment ago, although its last sign is of before", runningFor(10), { lastSignAt: now - 2 * long }],
    ["whose sandbox takes long to start", pendingFor(9 * long), { sandbox: "starting" }],
    ["whose sandbox took long to start and now runs", pendingFor(9 * long), { sandboxRunningSince: now - 10 }],
    ["whose sandbox is not there yet", pendingFor(10), { sandbox: "gone" }],
    ["whose sandbox cannot be seen just now", runningFor(10), { sandbox: "unknown" }],
  ])("%s", (_, present, signs) => {
    const { state, result, effects } = look(present, signs);
    expect(result).toEqual({ ended: false });
    expect(state.turn).toBe(present);
    expect(effects).toContainEqual(expect.objectContaining({ type: "remind", name: "watch-turn" }));
    expect(effects.map((effect) => effect.type)).not.toContain("stop-turn");
  });

  it("and is checked again before its silence can exceed the limit", () => {
    const [again] = look(runningFor(10), { lastSignAt: now }).effects;
    const at = again?.type === "remind" ? again.at : 0;
    expect(at).toBeGreaterThan(now);
    expect(at).toBeLessThanOrEqual(now + turnSilenceMs);
  });

  it("and is checked at the moment of the limit, if that is earlier", () => {
    const [again] = look(runningFor(9 * long), { lastSignAt: now - long + 7_000 }).effects;
    expect(again).toEqual({ type: "remind", name: "watch-turn", at: now + 7_000 });
  });
});

describe("a turn whose agent has not started", () => {
  it.each(["gone", "running", "unknown"] as const)("is handed over again if its sandbox has lost it: %s", (sandbox) => {
    expect(look(pendingFor(10), { sandbox }).effects).toContainEqual({ type: "start-turn", id: "turn-1" });
  });

  it("waits for the current start", () => {
    expect(look(pendingFor(10), { sandbox: "starting" }).effects).toMatchObject([{ type: "remind" }]);
  });

  it("is not handed over again after its agent has started", () => {
    expect(look(runningFor(10), {}).effects).toMatchObject([{ type: "remind" }]);
  });
});

describe("a turn fails", () => {
  it.each<[string, Turn, Partial<TurnSigns>, RegExp]>([
    [
      "that was silent for 120 seconds",
      runningFor(9 * long),
      { lastSignAt: now - long },
      /no sign of life for 120 sec/,
    ],
    ["that never gave a sign", runningFor(long), {}, /no sign of life/],
    ["that no sandbox took", pendingFor(long), { sandbox: "running" }, /no sign of life/],
    ["that has no sandbox", pendingFor(long), { sandbox: "gone" }, /no sign of life/],
    ["whose sandbox runs and did not take it", pendingFor(9 * long), { sandboxRunningSince: now - long }, /no sign/],
    ["whose sandbox is gone", runningFor(10), { lastSignAt: now, sandbox: "gone" }, /sandbox stopped/],
    ["after 4 hours, lively as it may be", runningFor(longestTurnMs), { lastSignAt: now }, /longest time.*4 hours/],
    ["after 4 hours of waiting for a start", pendingFor(longestTurnMs), { sandbox: "starting" }, /longest time/],
  ])("%s", (_, present, signs, error) => {
    const { state, result, effects } = look(present, signs);
    expect(result).toEqual({ ended: true });
    expect(state.turn).toMatchObject({ id: "turn-1", status: "failed", errorCode: null, completedAt: now });
    expect(state.turn?.error).toMatch(error);
    expect(state.pause).toEqual({ reason: "failed", pausedAt: now });
    expect(state.upNext).toEqual(waiting("a"));
    expect(effects).toContainEqual({ type: "stop-turn", id: "turn-1" });
    expect(effects).toContainEqual({ type: "release-sandbox", id: "turn-1" });
    expect(effects).toContainEqual({ type: "forget", name: "watch-turn" });
  });
});

describe("the sandbox of a turn that fails", () => {
  it.each<[string, boolean, Turn, Partial<TurnSigns>]>([
    ["is discarded if it is silent", true, runningFor(9 * long), { lastSignAt: now - long }],
    ["is discarded if it is silent after 4 hours", true, runningFor(longestTurnMs), { lastSignAt: now - long }],
    ["keeps the work of 4 hours if it responds", false, runningFor(longestTurnMs), { lastSignAt: now }],
    ["is not discarded while it starts", false, pendingFor(longestTurnMs), { sandbox: "starting" }],
    ["is not discarded if it is gone", false, runningFor(10), { sandbox: "gone" }],
  ])("%s", (_, isDiscarded, present, signs) => {
    const types = look(present, signs).effects.map(({ type }) => type);
    expect(types.includes("discard-sandbox")).toBe(isDiscarded);
  });
});

describe("signs of life from before a change of the turn", () => {
  it.each([
    ["was pending and runs by now", turn("running"), turn("pending")],
    ["has ended, and the next one waits for its sandbox", turn("pending", { id: "turn-2" }), turn("running")],
    ["has ended, and the next one runs", turn("running", { id: "turn-2" }), turn("running")],
  ])("have no effect: it %s", (_, present, seen) => {
    const { state, result, effects } = look(present, { sandbox: "gone" }, seen);
    expect([state.turn, result]).toEqual([present, { ended: false }]);
    expect(effects).toMatchObject([{ type: "remind", name: "watch-turn" }]);
  });
});

describe("a turn that is being stopped", () => {
  const stopping = turn("running", { ...runningFor(9 * long), stopRequestedAt: now - 1 });

  it("waits for the deadline of its stop, which discards the sandbox", () => {
    const { state, result, effects } = look(stopping, {});
    expect([state.turn, result]).toEqual([stopping, { ended: false }]);
    expect(effects.map((effect) => effect.type)).toEqual(["remind"]);
  });

  it("ends as stopped when its sandbox is gone", () => {
    const { state } = look(stopping, { sandbox: "gone" });
    expect(state.endedTurn).toMatchObject({ status: "cancelled", error: null });
  });
});

describe("a turn that ended", () => {
  it.each(["completed", "failed", "cancelled", "awaiting_response"] as const)("%s is not checked again", (status) => {
    const { state, result, effects } = look(turn(status, { createdAt: now - longestTurnMs }), { sandbox: "gone" });
    expect([state.turn?.status, result, effects]).toEqual([status, { ended: false }, []]);
  });

  it("or is unknown is not checked", () => {
    expect(look(null, { sandbox: "gone" })).toMatchObject({ result: { ended: false }, effects: [] });
  });
});
