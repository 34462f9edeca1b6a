import { describe, expect, it, test } from "vitest";
import type { ChatState } from "../../../src/chat/rules/chat.ts";
import { createTextMessage, noContext } from "../../../src/chat/rules/message.ts";
import { addToQueue, type QueuedMessage, startQueuedTurn, updateQueuedMessage } from "../../../src/chat/rules/queue.ts";
import { pauseReasons, resumeQueue } from "../../../src/chat/rules/queue-pause.ts";
import { queueSize } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { byMember, chatState, cron, now, refusalCode, turn, waiting } from "../../support/session-state.ts";

const message: QueuedMessage = {
  id: "z",
  ...createTextMessage("Then this."),
  author: cron,
  version: 1,
  editing: null,
  createdAt: now,
};
const pause = { reason: "failed", pausedAt: now - 5 } as const;
const twenty = waiting(...Array.from({ length: queueSize }, (_, place) => `m${place}`));

describe("the queue", () => {
  it("pauses for the contract's four reasons", () => {
    expect(pauseReasons).toEqual(["failed", "cancelled", "awaiting_response", "under_review"]);
  });

  it("adds a message at its end", () => {
    const queued = addToQueue(chatState({ upNext: waiting("a", "b") }), message);
    expect(isRefusal(queued) ? [] : queued.upNext.map(({ id }) => id)).toEqual(["a", "b", "z"]);
  });

  it("includes the steers in its size, because they may return", () => {
    const steers = waiting("x", "y").map((one) => ({ steerId: `of ${one.id}`, turnId: "turn-1", message: one }));
    expect(refusalCode(addToQueue(chatState({ upNext: twenty.slice(3), steers }), message))).toBeNull();
    expect(refusalCode(addToQueue(chatState({ upNext: twenty.slice(2), steers }), message))).toBe("QUEUE_FULL");
  });

  it("accepts a 20th message and refuses the 21st", () => {
    expect(refusalCode(addToQueue(chatState({ upNext: twenty.slice(1) }), message))).toBeNull();
    expect(refusalCode(addToQueue(chatState({ upNext: twenty }), message))).toBe("QUEUE_FULL");
  });
});

describe("the top message", () => {
  it("starts a separate turn, as written, on the chat's model", () => {
    const { state, effects } = startQueuedTurn(chatState({ upNext: [message, ...waiting("a")] }), "turn-2", now);
    expect(state.turn).toMatchObject({ id: "turn-2", sender: cron, model: "anthropic:opus__high" });
    const asWritten = { ...createTextMessage("Then this."), context: { ...noContext, writtenAt: now } };
    expect(state.newMessages).toEqual([
      { id: "z", turnId: "turn-2", ...asWritten, delivery: "job", author: cron, createdAt: now },
    ]);
    expect(state.upNext.map(({ id }) => id)).toEqual(["a"]);
    expect(effects).toContainEqual({ type: "start-turn", id: "turn-2" });
  });

  it.each([
    ["there is none", {}],
    ["Up next is paused", { upNext: [message], pause }],
    ["a turn is pending", { upNext: [message], turn: turn("pending") }],
    ["a turn runs", { upNext: [message], turn: turn("running") }],
  ])("does not run when %s", (_, changes) => {
    const state = chatState(changes);
    expect(startQueuedTurn(state, "turn-2", now)).toEqual({ state, effects: [] });
  });
});

describe("a resume", () => {
  it.each(pauseReasons)("ends a pause after %s and sends the top message", (reason) => {
    const state = chatState({ turn: turn("completed"), upNext: waiting("a", "b"), pause: { ...pause, reason } });
    const resumed = resumeQueue(state, { turnId: "turn-2" }, now);
    expect(resumed.state.pause).toBeNull();
    expect(resumed.state.upNext.map(({ id }) => id)).toEqual(["b"]);
    expect(resumed.state.turn).toMatchObject({ id: "turn-2", status: "pending" });
    expect(resumed.state.newMessages.map(({ id }) => id)).toEqual(["a"]);
    expect(resumed.effects).toContainEqual({ type: "start-turn", id: "turn-2" });
  });

  it("with an empty queue ends the pause, and lists show it", () => {
    const resumed = resumeQueue(chatState({ pause }), { turnId: "turn-2" }, now);
    expect([resumed.state.pause, resumed.state.turn]).toEqual([null, null]);
    expect(resumed.effects).toEqual([{ type: "index-chat" }]);
  });

  it("while a turn runs starts no second one", () => {
    const state = chatState({ turn: turn("running"), upNext: waiting("a"), pause });
    const resumed = resumeQueue(state, { turnId: "turn-2" }, now).state;
    expect([resumed.pause, resumed.turn?.id, resumed.upNext.length]).toEqual([null, "turn-1", 1]);
  });

  it("of a queue that is not paused changes nothing", () => {
    const state = chatState({ turn: turn("running"), upNext: waiting("a") });
    expect(resumeQueue(state, { turnId: "turn-2" }, now).state).toEqual(state);
  });

  it.each([
    ["starts a turn on the one that can be run", waiting("a"), "anthropic:haiku__low"],
    ["leaves it without one where nothing waits", [], null],
  ])("of a chat without a model %s", (_, upNext, model) => {
    const command = { turnId: "turn-2", modelIfNone: "anthropic:haiku__low" };
    const resumed = resumeQueue(chatState({ upNext, pause, model: null }), command, now).state;
    expect([resumed.model, resumed.turn?.model ?? null]).toEqual([model, model]);
  });

  it("keeps the model that the chat has", () => {
    const command = { turnId: "turn-2", modelIfNone: "anthropic:haiku__low" };
    const resumed = resumeQueue(chatState({ upNext: waiting("a"), pause }), command, now);
    expect(resumed.state.turn?.model).toBe("anthropic:opus__high");
  });
});

test("a queued message is sent with the time of its last edit", () => {
  const state = chatState({ turn: turn("awaiting_response"), upNext: waiting("a") });
  const writtenAt = (from: ChatState) =>
    startQueuedTurn({ ...from, pause: null }, "turn-2", now + 10).state.newMessages[0]?.context.writtenAt;
  expect(writtenAt(state)).toBe(now);
  const edit = {
    messageId: "a",
    by: byMember(),
    version: null,
    content: "b",
    retained: null,
    added: [],
    editing: null,
  };
  const edited = updateQueuedMessage(state, edit, { hasLeft: false }, now + 5);
  expect(isRefusal(edited) ? null : writtenAt(edited.state)).toBe(now + 5);
});
