// The end of a session's turn: the session afterwards, and what is sent next.
import { describe, expect, it } from "vitest";
import { cancelTurn } from "../../../src/chat/rules/stop.ts";
import type { TurnStatus } from "../../../src/chat/rules/turn.ts";
import type { TurnEnd } from "../../../src/chat/rules/turn-end.ts";
import { resumeQueue } from "../../../src/session/rules/send.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { applyTurnDecision, endDisconnected, endTurn } from "../../../src/session/rules/turn-end.ts";
import { accepted, byMember, now, sendFacts, sessionState, turn, waiting } from "../../support/session-state.ts";

const failed: TurnEnd = { status: "failed", error: "Too long.", errorCode: "context_window_exceeded" };
const endWith = (end: TurnEnd) => ({ turnId: "turn-1", end, nextTurnId: "turn-2" });
const cancelled = (state = sessionState(), at = now) =>
  applyTurnDecision(state, cancelTurn(state.chat, { turnId: "turn-1" }, at), { nextTurnId: "turn-2" }, at);

describe("the end of a turn", () => {
  it("is a change of the session, and lists show it", () => {
    const { state, effects } = accepted(
      endTurn(sessionState({ turn: turn("running") }), endWith({ status: "completed" }), now),
    );
    expect(state.session.updatedAt).toBe(now);
    expect(effects.at(-1)).toEqual({ type: "index-session" });
  });

  it("of another turn changes nothing", () => {
    const state = sessionState({ turn: turn("running", { id: "turn-2" }) });
    expect(endTurn(state, endWith(failed), now)).toEqual({ state, result: { ended: false }, effects: [] });
  });
});

describe("the queue, when the turn ends", () => {
  const running = sessionState({ turn: turn("running"), upNext: waiting("a", "b") });

  it("continues with its top message after a completed turn", () => {
    const { state, effects } = accepted(endTurn(running, endWith({ status: "completed" }), now));
    expect(state.chat.upNext.map(({ id }) => id)).toEqual(["b"]);
    expect(state.chat.turn).toMatchObject({ id: "turn-2", number: 2, status: "pending" });
    expect(state.chat.endedTurn).toMatchObject({ id: "turn-1", status: "completed" });
    expect(state.chat.newMessages).toMatchObject([{ id: "a", turnId: "turn-2", content: "content of a" }]);
    expect(state.chat.pause).toBeNull();
    expect(effects).toContainEqual({ type: "start-turn", id: "turn-2" });
    const ofWatchdog = effects.filter((effect) => "name" in effect && effect.name === "watch-turn");
    expect(ofWatchdog.map((effect) => effect.type)).toEqual(["forget", "remind"]);
  });

  it.each<[TurnEnd]>([[failed], [{ status: "cancelled" }], [{ status: "awaiting_response" }]])(
    "pauses and keeps every message after one that is $status",
    (end) => {
      const { state, effects } = accepted(endTurn(running, endWith(end), now));
      expect(state.chat.pause).toEqual({ reason: end.status, pausedAt: now });
      expect([state.chat.upNext, state.chat.newMessages]).toEqual([running.chat.upNext, []]);
      expect(state.chat.turn?.id).toBe("turn-1");
      expect(effects.map((effect) => effect.type)).not.toContain("start-turn");
    },
  );

  it("stays paused if it was paused before the turn completed", () => {
    const pause = { reason: "under_review", pausedAt: now - 9 } as const;
    const { state } = accepted(
      endTurn({ ...running, chat: { ...running.chat, pause } }, endWith({ status: "completed" }), now),
    );
    expect([state.chat.pause, state.chat.upNext.length, state.chat.turn?.id]).toEqual([pause, 2, "turn-1"]);
  });

  it.each(["under-review", "completed", "archived"] as const)("starts nothing in a session that is %s", (status) => {
    const state = sessionState({ turn: turn("running"), upNext: waiting("a"), session: { status } });
    const ended = accepted(endTurn(state, endWith({ status: "completed" }), now)).state;
    expect([ended.chat.turn?.id, ended.chat.upNext.length]).toEqual(["turn-1", 1]);
  });
});

describe("a stop that is not confirmed yet when the queue is resumed", () => {
  const stopping = accepted(cancelled(sessionState({ turn: turn("running"), upNext: waiting("a") }))).state;
  const resumed = accepted(resumeQueue(stopping, { turnId: "turn-5", by: byMember() }, sendFacts(), now + 1)).state;

  it("is followed by the top message", () => {
    expect([resumed.chat.turn?.id, resumed.chat.pause, resumed.chat.upNext.length]).toEqual(["turn-1", null, 1]);
    const { state } = accepted(endTurn(resumed, endWith({ status: "cancelled" }), now + 2));
    expect(state.chat.endedTurn).toMatchObject({ id: "turn-1", status: "cancelled" });
    expect(state.chat.turn).toMatchObject({ id: "turn-2", status: "pending" });
    expect([state.chat.newMessages.map(({ id }) => id), state.chat.pause]).toEqual([["a"], null]);
  });

  it("is followed by no message if it is requested once more", () => {
    const again = accepted(cancelled(resumed, now + 2));
    expect(again).toMatchObject({ result: { settled: false }, effects: [{ type: "index-session" }] });
    const { state } = accepted(endTurn(again.state, endWith({ status: "cancelled" }), now + 3));
    expect([state.chat.turn?.id, state.chat.upNext.length]).toEqual(["turn-1", 1]);
    expect(state.chat.pause).toEqual({ reason: "cancelled", pausedAt: now + 2 });
  });
});

describe("a disconnected subscription", () => {
  const gone = { userId: "usr_ada", provider: "anthropic", error: "Disconnected." } as const;
  const paidBy = (userId: string, status: TurnStatus) =>
    sessionState({ turn: turn(status, { payer: { type: "member", userId } }), upNext: waiting("a") });
  const disconnected = (state: SessionState) => accepted(endDisconnected(state, { gone, nextTurnId: "turn-2" }, now));

  it.each(["pending", "running"] as const)("ends its turn that is %s, and gives the sandbox back", (status) => {
    const { state, effects } = disconnected(paidBy("usr_ada", status));
    expect(state.chat.turn).toMatchObject({ status: "failed", errorCode: "subscription_disconnected" });
    expect(state.chat.pause).toEqual({ reason: "failed", pausedAt: now });
    expect(effects.map(({ type }) => type)).toEqual(expect.arrayContaining(["stop-turn", "stop-sandbox"]));
  });

  it.each<[string, SessionState]>([
    ["of another member", paidBy("usr_bob", "running")],
    ["that has ended", paidBy("usr_ada", "completed")],
    ["of the workspace", sessionState({ turn: turn("running", { payer: { type: "workspace" } }) })],
  ])("changes nothing for a turn %s", (_, state) => {
    expect(disconnected(state)).toEqual({ state, result: { ended: false }, effects: [] });
  });
});
