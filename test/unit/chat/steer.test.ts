import { describe, expect, it } from "vitest";
import { type Author, getAuthor } from "../../../src/access/rules/actor.ts";
import { type QueuedMessage, startQueuedTurn } from "../../../src/chat/rules/queue.ts";
import { recordSteerTaken, returnSteers, steer } from "../../../src/chat/rules/steer.ts";
import { cancelTurn, stopOverdue } from "../../../src/chat/rules/stop.ts";
import { endTurn, type TurnEnd } from "../../../src/chat/rules/turn-end.ts";
import { toWireQueue } from "../../../src/chat/wire/queue.ts";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import {
  accepted,
  byAuthor,
  byMember,
  chatState,
  cron,
  now,
  otherSession,
  refusalCode,
  turn,
  waiting,
} from "../../support/session-state.ts";

const ada = byMember();
const bob = byMember("usr_bob", "owner");
const here = { hasLeft: false };
const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

type Changes = Parameters<typeof chatState>[0];
const running = (changes: Changes = {}) =>
  chatState({ turn: turn("running"), upNext: waiting("a", "b", "c"), ...changes });
const handed = (upNext: QueuedMessage[]) =>
  upNext.map((message) => ({ steerId: `of ${message.id}`, turnId: "turn-1", message }));
const steerB = { messageId: "b", steerId: "steer-1", by: ada };

const saying = (content: string) => waiting("b").map((message) => ({ ...message, content }));
const askingForResult = waiting("b").map((one) => ({ ...one, context: { ...one.context, resultSchema: "{}" } }));

/** Whether Up next offers its viewer to steer the message. */
function isOffered(chat: ReturnType<typeof chatState>, { messageId, by }: typeof steerB): boolean {
  const { messages } = toWireQueue({ chat, place: { projectId: "project-1", id: "session-1" } }, by, now);
  return messages.some(({ id, can }) => id === messageId && can.steer);
}

describe("a steer", () => {
  it("moves the message from the queue to the turn, after earlier steers", () => {
    const before = handed(waiting("x"));
    const { state, result, effects } = accepted(steer(running({ steers: before }), steerB, here));
    expect([ids(state.upNext), state.steers.map(({ message }) => message.id)]).toEqual([
      ["a", "c"],
      ["x", "b"],
    ]);
    expect(result).toEqual({ steerId: "steer-1", turnId: "turn-1", message: waiting("b")[0] });
    expect(effects).toEqual([{ type: "deliver-steers", id: "turn-1" }, { type: "index-chat" }]);
  });

  it("starts no job, and does not change the turn and the messages", () => {
    const before = running();
    const { state } = accepted(steer(before, steerB, here));
    expect([state.turn, state.newMessages, state.pause]).toEqual([before.turn, [], null]);
  });

  it("closes the editing of the message", () => {
    const editing = { userId: "usr_ada", until: now + 1 };
    const upNext = waiting("b").map((message) => ({ ...message, editing }));
    expect(accepted(steer(running({ upNext }), steerB, here)).result.message.editing).toBeNull();
  });

  const stopping = turn("running", { stopRequestedAt: now });
  const ofBob = turn("running", { sender: getAuthor(bob) });
  it.each<[string, Changes, object, RefusalCode]>([
    ["when nothing ran yet", { turn: null }, {}, "STEER_UNAVAILABLE"],
    ["when the turn completed", { turn: turn("completed") }, {}, "STEER_UNAVAILABLE"],
    ["when the turn failed", { turn: turn("failed") }, {}, "STEER_UNAVAILABLE"],
    ["when the turn was stopped", { turn: turn("cancelled") }, {}, "STEER_UNAVAILABLE"],
    ["when the turn asked", { turn: turn("awaiting_response") }, {}, "STEER_UNAVAILABLE"],
    ["when the turn has not begun", { turn: turn("pending") }, {}, "STEER_UNAVAILABLE"],
    ["when the turn is being stopped", { turn: stopping }, {}, "JOB_STOPPED_TEXT_RETURNED"],
    ["into another member's turn", { turn: ofBob }, {}, "FORBIDDEN"],
    ["into a cron's turn", { turn: turn("running", { sender: cron }) }, {}, "FORBIDDEN"],
    ["of another member's message", {}, { by: bob }, "FORBIDDEN"],
    ["of another member's message into one's own turn", { turn: ofBob }, { by: bob }, "FORBIDDEN"],
    ["of a call of a built-in skill", { upNext: saying("/svc:open-pr") }, {}, "STEER_UNAVAILABLE"],
    ["of a message that asks for a result", { upNext: askingForResult }, {}, "STEER_UNAVAILABLE"],
    ["of a message that never was", {}, { messageId: "z" }, "NOT_FOUND"],
    [
      "of one that is with the turn already",
      { steers: handed(waiting("z")) },
      { messageId: "z" },
      "QUEUED_MESSAGE_GONE",
    ],
  ])("%s is refused, and not offered", (_, changes, other, code) => {
    const command = { ...steerB, ...other };
    expect(refusalCode(steer(running(changes), command, here))).toBe(code);
    expect(isOffered(running(changes), command)).toBe(false);
  });

  it("that would be taken is offered", () => {
    expect(isOffered(running(), steerB)).toBe(true);
  });

  it("of a message that has left is refused with the reason", () => {
    expect(refusalCode(steer(running(), { ...steerB, messageId: "z" }, { hasLeft: true }))).toBe("QUEUED_MESSAGE_GONE");
  });

  it.each<[string, Author]>([
    ["a cron run", cron],
    ["a session's agent", otherSession],
  ])("of %s goes only into its own turn", (_, author) => {
    const upNext = waiting("b").map((message) => ({ ...message, author }));
    const state = running({ upNext, turn: turn("running", { sender: author }) });
    const by = byAuthor(author, "usr_bob");
    expect(refusalCode(steer(state, { ...steerB, by }, here))).toBeNull();
    expect(refusalCode(steer(running({ upNext }), { ...steerB, by }, here))).toBe("FORBIDDEN");
  });
});

describe("a steer that is taken", () => {
  const state = running({ steers: handed(waiting("x", "y")) });
  const news = { turnId: "turn-1", steerId: "of x" };

  it("is added to the conversation as it was written, and lists show it", () => {
    const { state: taken, effects } = accepted(recordSteerTaken(state, news, now + 5));
    const { id, content, attachments, context, author, createdAt: writtenAt } = waiting("x")[0] as QueuedMessage;
    expect(taken.newMessages).toEqual([
      {
        ...{ id, content, attachments, author },
        context: { ...context, writtenAt },
        turnId: "turn-1",
        delivery: "steer",
        createdAt: now + 5,
      },
    ]);
    expect(taken.steers.map(({ message }) => message.id)).toEqual(["y"]);
    expect(taken.upNext).toEqual(state.upNext);
    expect(effects).toEqual([{ type: "index-chat" }]);
  });

  it("is added after the messages of the same decision", () => {
    const first = accepted(recordSteerTaken(state, news, now)).state;
    expect(ids(accepted(recordSteerTaken(first, { ...news, steerId: "of y" }, now)).state.newMessages)).toEqual([
      "x",
      "y",
    ]);
  });

  it("is added once", () => {
    const taken = { ...accepted(recordSteerTaken(state, news, now)).state, newMessages: [] };
    expect(recordSteerTaken(taken, news, now)).toEqual({ state: taken, result: null, effects: [] });
  });

  it.each([
    ["another turn", { ...news, turnId: "turn-0" }],
    ["another steer", { ...news, steerId: "of a" }],
  ])("changes nothing if the event is of %s", (_, other) => {
    expect(recordSteerTaken(state, other, now)).toEqual({ state, result: null, effects: [] });
  });

  it("comes too late after the end of the turn: the message is queued again", () => {
    const end = { turnId: "turn-1", end: { status: "cancelled" } as const };
    const ended = accepted(endTurn(state, end, now)).state;
    expect(recordSteerTaken(ended, news, now)).toEqual({ state: ended, result: null, effects: [] });
  });
});

describe("steers that were not taken", () => {
  const state = running({ steers: handed(waiting("x", "y")) });
  const failed: TurnEnd = { status: "failed", error: "It broke.", errorCode: null };

  it.each<[TurnEnd]>([[failed], [{ status: "cancelled" }], [{ status: "awaiting_response" }]])(
    "go back to the front of the queue, in their order, when the turn is $status",
    (end) => {
      const { state: after } = accepted(endTurn(state, { turnId: "turn-1", end }, now));
      expect([ids(after.upNext), after.steers, after.newMessages]).toEqual([["x", "y", "a", "b", "c"], [], []]);
    },
  );

  it("are first in the queue after the turn has completed", () => {
    const end = { turnId: "turn-1", end: { status: "completed" } as const };
    const { state: after } = startQueuedTurn(accepted(endTurn(state, end, now)).state, "turn-2", now);
    expect([ids(after.newMessages), ids(after.upNext), after.steers]).toEqual([["x"], ["y", "a", "b", "c"], []]);
    expect(after.newMessages).toMatchObject([{ turnId: "turn-2", delivery: "job" }]);
  });

  it("stay with the turn while it is being stopped, and return if no sandbox confirms that", () => {
    const stop = { turnId: "turn-1" };
    const stopping = accepted(cancelTurn(state, stop, now)).state;
    expect(stopping.steers).toEqual(state.steers);
    expect(ids(accepted(stopOverdue(stopping, now)).state.upNext)).toEqual(["x", "y", "a", "b", "c"]);
  });

  it("change nothing if there are none", () => {
    const none = running();
    expect(returnSteers(none)).toBe(none);
  });
});
