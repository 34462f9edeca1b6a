import { describe, expect, it } from "vitest";
import type { TurnStatus } from "../../../src/rules/chat/turn.ts";
import { cancelTurn, endTurn, stopOverdue, stopSettleMs, type TurnEnd } from "../../../src/rules/chat/turn-end.ts";
import { resumeUpNext } from "../../../src/rules/chat/up-next.ts";
import { accepted, now, refusalCode, sendFacts, sessionState, turn, waiting } from "../../support/session-state.ts";

const failed: TurnEnd = { status: "failed", error: "Too long.", errorCode: "context_window_exceeded" };
const stop = { turnId: "turn-1", nextTurnId: "turn-2" };
const stopPause = { reason: "cancelled", pausedAt: now - 1 } as const;
const endWith = (end: TurnEnd) => ({ turnId: "turn-1", end, nextTurnId: "turn-2" });

describe("the end of a turn", () => {
  it.each<[TurnEnd, string | null, string | null]>([
    [{ status: "completed" }, null, null],
    [{ status: "awaiting_response" }, null, null],
    [{ status: "cancelled" }, null, null],
    [failed, "Too long.", "context_window_exceeded"],
  ])("is kept with its time and its error: $status", (end, error, errorCode) => {
    const { state, answer } = accepted(endTurn(sessionState({ turn: turn("running") }), endWith(end), now));
    expect(answer).toEqual({ ended: true });
    expect(state.turn).toMatchObject({ status: end.status, error, errorCode, completedAt: now });
    expect(state.endedTurn).toEqual(state.turn);
    expect(state.session.updatedAt).toBe(now);
  });

  it("forgets its deadlines, frees the sandbox, ends what the agent could act with, and is shown in lists", () => {
    const { effects } = accepted(
      endTurn(sessionState({ turn: turn("running") }), endWith({ status: "completed" }), now),
    );
    expect(effects).toEqual([
      { type: "forget", name: "watch-turn" },
      { type: "forget", name: "stop-overdue" },
      { type: "release-sandbox", turnId: "turn-1" },
      { type: "revoke-agent", turnId: "turn-1" },
      { type: "index-turn", turnId: "turn-1" },
      { type: "index-session" },
    ]);
  });

  it.each<[TurnStatus]>([["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "comes once: a turn that is %s stays so",
    (status) => {
      const state = sessionState({ turn: turn(status), upNext: waiting("a") });
      expect(endTurn(state, endWith({ status: "completed" }), now)).toEqual({
        state,
        answer: { ended: false },
        effects: [],
      });
    },
  );

  it("of an earlier turn does not end the present one", () => {
    const state = sessionState({ turn: turn("running", { id: "turn-2" }) });
    expect(endTurn(state, endWith(failed), now)).toEqual({ state, answer: { ended: false }, effects: [] });
  });

  it.each<[TurnEnd]>([[{ status: "completed" }], [{ status: "awaiting_response" }], [failed]])(
    "is the stop that a member asked for, although the agent came to $status",
    (end) => {
      const state = sessionState({ turn: turn("running", { stopRequestedAt: now - 1 }), pause: stopPause });
      const ended = accepted(endTurn(state, endWith(end), now)).state;
      expect(ended.turn).toMatchObject({ status: "cancelled", error: null, errorCode: null });
      expect(ended.pause).toEqual(stopPause);
    },
  );
});

describe("Up next, when the turn ends", () => {
  const running = sessionState({ turn: turn("running"), upNext: waiting("a", "b") });

  it("goes on with its top message after a turn that completed", () => {
    const { state, effects } = accepted(endTurn(running, endWith({ status: "completed" }), now));
    expect(state.upNext.map(({ id }) => id)).toEqual(["b"]);
    expect(state.turn).toMatchObject({ id: "turn-2", number: 2, status: "pending" });
    expect(state.endedTurn).toMatchObject({ id: "turn-1", status: "completed" });
    expect(state.spoken).toMatchObject([{ id: "a", turnId: "turn-2", content: "content of a" }]);
    expect(state.pause).toBeNull();
    expect(effects).toContainEqual({ type: "start-turn", turnId: "turn-2" });
    const ofWatchdog = effects.filter((effect) => "name" in effect && effect.name === "watch-turn");
    expect(ofWatchdog.map((effect) => effect.type)).toEqual(["forget", "remind"]);
  });

  it.each<[TurnEnd]>([[failed], [{ status: "cancelled" }], [{ status: "awaiting_response" }]])(
    "pauses and keeps every message after one that is $status",
    (end) => {
      const { state, effects } = accepted(endTurn(running, endWith(end), now));
      expect(state.pause).toEqual({ reason: end.status, pausedAt: now });
      expect([state.upNext, state.spoken]).toEqual([running.upNext, []]);
      expect(state.turn?.id).toBe("turn-1");
      expect(effects.map((effect) => effect.type)).not.toContain("start-turn");
    },
  );

  it("stays paused when it was paused before the turn completed", () => {
    const pause = { reason: "under_review", pausedAt: now - 9 } as const;
    const { state } = accepted(endTurn({ ...running, pause }, endWith({ status: "completed" }), now));
    expect([state.pause, state.upNext.length, state.turn?.id]).toEqual([pause, 2, "turn-1"]);
  });

  it.each(["under-review", "completed", "archived"] as const)("starts nothing in a session that is %s", (status) => {
    const state = sessionState({ turn: turn("running"), upNext: waiting("a"), session: { status } });
    const ended = accepted(endTurn(state, endWith({ status: "completed" }), now)).state;
    expect([ended.turn?.id, ended.upNext.length]).toEqual(["turn-1", 1]);
  });
});

describe("a stop", () => {
  it("ends a pending turn at once, pauses Up next, and tells a sandbox that may just have got it", () => {
    const state = sessionState({ turn: turn("pending"), upNext: waiting("a") });
    const stopped = accepted(cancelTurn(state, stop, now));
    expect(stopped.answer).toEqual({ settled: true });
    expect(stopped.state.turn).toMatchObject({ status: "cancelled", stopRequestedAt: now, completedAt: now });
    expect(stopped.state.pause).toEqual({ reason: "cancelled", pausedAt: now });
    expect(stopped.state.upNext).toEqual(state.upNext);
    expect(stopped.effects).toContainEqual({ type: "stop-turn", turnId: "turn-1" });
    expect(stopped.effects).toContainEqual({ type: "release-sandbox", turnId: "turn-1" });
  });

  it("of a running turn pauses Up next at once, is over when the sandbox says so, and has a deadline for that", () => {
    const asked = accepted(cancelTurn(sessionState({ turn: turn("running") }), stop, now));
    expect(asked.answer).toEqual({ settled: false });
    expect(asked.state.turn).toMatchObject({ status: "running", stopRequestedAt: now, completedAt: null });
    expect(asked.state.pause).toEqual({ reason: "cancelled", pausedAt: now });
    expect(asked.effects).toEqual([
      { type: "remind", name: "stop-overdue", at: now + stopSettleMs },
      { type: "stop-turn", turnId: "turn-1" },
      { type: "index-session" },
    ]);
  });

  it("asked for again keeps the first one's deadline and pause", () => {
    const state = sessionState({ turn: turn("running", { stopRequestedAt: now - 1 }), pause: stopPause });
    expect(cancelTurn(state, stop, now)).toEqual({ state, answer: { settled: false }, effects: [] });
  });

  describe("that is not over yet when Up next is resumed", () => {
    const stopping = accepted(
      cancelTurn(sessionState({ turn: turn("running"), upNext: waiting("a") }), stop, now),
    ).state;
    const resumed = accepted(resumeUpNext(stopping, { turnId: "turn-5" }, sendFacts(), now + 1)).state;

    it("is followed by the top message", () => {
      expect([resumed.turn?.id, resumed.pause, resumed.upNext.length]).toEqual(["turn-1", null, 1]);
      const { state } = accepted(endTurn(resumed, endWith({ status: "cancelled" }), now + 2));
      expect(state.endedTurn).toMatchObject({ id: "turn-1", status: "cancelled" });
      expect(state.turn).toMatchObject({ id: "turn-2", status: "pending" });
      expect([state.spoken.map(({ id }) => id), state.pause]).toEqual([["a"], null]);
    });

    it("is followed by nothing when it is asked for once more", () => {
      const again = accepted(cancelTurn(resumed, stop, now + 2));
      expect(again).toMatchObject({ answer: { settled: false }, effects: [{ type: "index-session" }] });
      const { state } = accepted(endTurn(again.state, endWith({ status: "cancelled" }), now + 3));
      expect([state.turn?.id, state.upNext.length]).toEqual(["turn-1", 1]);
      expect(state.pause).toEqual({ reason: "cancelled", pausedAt: now + 2 });
    });
  });

  it.each<[TurnStatus]>([["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "of a turn that is %s is refused",
    (status) => {
      expect(refusalCode(cancelTurn(sessionState({ turn: turn(status) }), stop, now))).toBe("BAD_REQUEST");
    },
  );

  it("of an older turn is refused and leaves the present one alone", () => {
    const state = sessionState({ turn: turn("running", { id: "turn-2", number: 2 }) });
    expect(refusalCode(cancelTurn(state, stop, now))).toBe("BAD_REQUEST");
  });
});

describe("a stop that no sandbox confirmed in time", () => {
  it("ends the turn, leaves Up next paused, and discards the sandbox that still holds it", () => {
    const held = turn("running", { stopRequestedAt: now - stopSettleMs, generation: 7 });
    const state = sessionState({ turn: held, upNext: waiting("a"), pause: stopPause });
    const ended = accepted(stopOverdue(state, { nextTurnId: "turn-2" }, now));
    expect(ended.answer).toEqual({ ended: true });
    expect(ended.state.turn).toMatchObject({ id: "turn-1", status: "cancelled", completedAt: now });
    expect(ended.state.pause).toEqual(stopPause);
    expect(ended.state.upNext).toEqual(state.upNext);
    expect(ended.effects[0]).toEqual({ type: "discard-sandbox", generation: 7 });
    expect(ended.effects).toContainEqual({ type: "release-sandbox", turnId: "turn-1" });
  });

  it.each([
    ["a turn that nobody stopped", turn("running")],
    ["a turn that ended meanwhile", turn("cancelled", { stopRequestedAt: now - stopSettleMs })],
    ["the next turn", turn("pending", { id: "turn-2" })],
  ])("does nothing to %s", (_, present) => {
    const state = sessionState({ turn: present });
    expect(stopOverdue(state, { nextTurnId: "turn-3" }, now)).toEqual({ state, answer: { ended: false }, effects: [] });
  });
});
