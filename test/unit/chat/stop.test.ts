import { describe, expect, it } from "vitest";
import { cancelTurn, stopOverdue, stopSettleMs } from "../../../src/chat/rules/stop.ts";
import type { TurnStatus } from "../../../src/chat/rules/turn.ts";
import { accepted, chatState, now, refusalCode, turn, waiting } from "../../support/session-state.ts";

const stop = { turnId: "turn-1" };
const stopPause = { reason: "cancelled", pausedAt: now - 1 } as const;

describe("a stop", () => {
  it("ends a pending turn immediately, pauses the queue, and is sent to a sandbox that may already have the turn", () => {
    const state = chatState({ turn: turn("pending"), upNext: waiting("a") });
    const stopped = accepted(cancelTurn(state, stop, now));
    expect(stopped.result).toEqual({ settled: true });
    expect(stopped.state.turn).toMatchObject({ status: "cancelled", stopRequestedAt: now, completedAt: now });
    expect(stopped.state.pause).toEqual({ reason: "cancelled", pausedAt: now });
    expect(stopped.state.upNext).toEqual(state.upNext);
    expect(stopped.effects).toContainEqual({ type: "stop-turn", id: "turn-1" });
    expect(stopped.effects).toContainEqual({ type: "release-sandbox", id: "turn-1" });
  });

  it("of a running turn pauses the queue immediately, ends when the sandbox confirms it, and has a deadline", () => {
    const asked = accepted(cancelTurn(chatState({ turn: turn("running") }), stop, now));
    expect(asked.result).toEqual({ settled: false });
    expect(asked.state.turn).toMatchObject({ status: "running", stopRequestedAt: now, completedAt: null });
    expect(asked.state.pause).toEqual({ reason: "cancelled", pausedAt: now });
    expect(asked.effects).toEqual([
      { type: "remind", name: "stop-overdue", at: now + stopSettleMs },
      { type: "stop-turn", id: "turn-1" },
      { type: "index-chat" },
    ]);
  });

  it("that is repeated keeps the first deadline and pause", () => {
    const state = chatState({ turn: turn("running", { stopRequestedAt: now - 1 }), pause: stopPause });
    expect(cancelTurn(state, stop, now)).toEqual({ state, result: { settled: false }, effects: [] });
  });

  it.each<[TurnStatus]>([["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "of a turn that is %s is refused",
    (status) => {
      expect(refusalCode(cancelTurn(chatState({ turn: turn(status) }), stop, now))).toBe("BAD_REQUEST");
    },
  );

  it("of an older turn is refused and does not affect the current one", () => {
    const state = chatState({ turn: turn("running", { id: "turn-2", number: 2 }) });
    expect(refusalCode(cancelTurn(state, stop, now))).toBe("BAD_REQUEST");
  });
});

describe("a stop that is not confirmed in time", () => {
  it("ends the turn, keeps the queue paused, and discards the sandbox that holds it", () => {
    const held = turn("running", { stopRequestedAt: now - stopSettleMs, generation: 7 });
    const state = chatState({ turn: held, upNext: waiting("a"), pause: stopPause });
    const ended = accepted(stopOverdue(state, now));
    expect(ended.result).toEqual({ ended: true });
    expect(ended.state.turn).toMatchObject({ id: "turn-1", status: "cancelled", completedAt: now });
    expect(ended.state.pause).toEqual(stopPause);
    expect(ended.state.upNext).toEqual(state.upNext);
    expect(ended.effects[0]).toEqual({ type: "discard-sandbox", id: 7 });
    expect(ended.effects).toContainEqual({ type: "release-sandbox", id: "turn-1" });
  });

  it.each([
    ["a turn that nobody stopped", turn("running")],
    ["a turn that ended meanwhile", turn("cancelled", { stopRequestedAt: now - stopSettleMs })],
    ["the next turn", turn("pending", { id: "turn-2" })],
  ])("does nothing to %s", (_, present) => {
    const state = chatState({ turn: present });
    expect(stopOverdue(state, now)).toEqual({ state, result: { ended: false }, effects: [] });
  });
});
