import { describe, expect, it } from "vitest";
import type { TurnStatus } from "../../../src/chat/rules/turn.ts";
import { endTurn, type TurnEnd } from "../../../src/chat/rules/turn-end.ts";
import { accepted, chatState, now, turn, waiting } from "../../support/session-state.ts";

const failed: TurnEnd = { status: "failed", error: "Too long.", errorCode: "context_window_exceeded" };
const stopPause = { reason: "cancelled", pausedAt: now - 1 } as const;
const endWith = (end: TurnEnd) => ({ turnId: "turn-1", end });

describe("the end of a turn", () => {
  it.each<[TurnEnd, string | null, string | null]>([
    [{ status: "completed" }, null, null],
    [{ status: "awaiting_response" }, null, null],
    [{ status: "cancelled" }, null, null],
    [failed, "Too long.", "context_window_exceeded"],
  ])("is stored with its time and its error: $status", (end, error, errorCode) => {
    const { state, result } = accepted(endTurn(chatState({ turn: turn("running") }), endWith(end), now));
    expect(result).toEqual({ ended: true });
    expect(state.turn).toMatchObject({ status: end.status, error, errorCode, completedAt: now });
    expect(state.endedTurn).toEqual(state.turn);
  });

  it("cancels its deadlines, releases the sandbox, revokes the agent's tokens, and is shown in lists", () => {
    const { effects } = accepted(endTurn(chatState({ turn: turn("running") }), endWith({ status: "completed" }), now));
    expect(effects).toEqual([
      { type: "forget", name: "watch-turn" },
      { type: "forget", name: "stop-overdue" },
      { type: "forget", name: "tell-usage" },
      { type: "release-sandbox", id: "turn-1" },
      { type: "revoke-agent", id: "turn-1" },
      { type: "index-turn", id: "turn-1" },
      { type: "index-chat" },
    ]);
  });

  it("reports to the workspace what the turn used, if anything", () => {
    const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 0, nanoUsd: null, payer: "member" } as const;
    const { effects } = accepted(endTurn(chatState({ turn: turn("running", { usage }) }), endWith(failed), now));
    expect(effects).toContainEqual({ type: "index-usage", id: "turn-1" });
  });

  it.each<[TurnStatus]>([["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "comes once: a turn that is %s stays so",
    (status) => {
      const state = chatState({ turn: turn(status), upNext: waiting("a") });
      expect(endTurn(state, endWith({ status: "completed" }), now)).toEqual({
        state,
        result: { ended: false },
        effects: [],
      });
    },
  );

  it("of an earlier turn does not end the current one", () => {
    const state = chatState({ turn: turn("running", { id: "turn-2" }) });
    expect(endTurn(state, endWith(failed), now)).toEqual({ state, result: { ended: false }, effects: [] });
  });

  it.each<[TurnEnd]>([[{ status: "completed" }], [{ status: "awaiting_response" }], [failed]])(
    "is the stop that a member asked for, although the agent came to $status",
    (end) => {
      const state = chatState({ turn: turn("running", { stopRequestedAt: now - 1 }), pause: stopPause });
      const ended = accepted(endTurn(state, endWith(end), now)).state;
      expect(ended.turn).toMatchObject({ status: "cancelled", error: null, errorCode: null });
      expect(ended.pause).toEqual(stopPause);
    },
  );
});

describe("the queue, when the turn ends", () => {
  const running = chatState({ turn: turn("running"), upNext: waiting("a", "b") });

  it("waits for its owner's decision", () => {
    const { state } = accepted(endTurn(running, endWith({ status: "completed" }), now));
    expect([state.upNext, state.newMessages, state.pause]).toEqual([running.upNext, [], null]);
    expect([state.turn, state.turn?.id]).toEqual([state.endedTurn, "turn-1"]);
  });

  it.each<[TurnEnd]>([[failed], [{ status: "cancelled" }], [{ status: "awaiting_response" }]])(
    "pauses and keeps every message after one that is $status",
    (end) => {
      const { state } = accepted(endTurn(running, endWith(end), now));
      expect(state.pause).toEqual({ reason: end.status, pausedAt: now });
      expect([state.upNext, state.newMessages]).toEqual([running.upNext, []]);
    },
  );
});
