import { describe, expect, it } from "vitest";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import {
  firstCheckMs,
  getUsageReportTime,
  isUnfinished,
  publishUsage,
  recordTurnStart,
  startTurn,
  turnStatuses,
} from "../../../src/chat/rules/turn.ts";
import { usageReportMs } from "../../../src/rules/limits.ts";
import { accepted, chatState, cron, now, turn } from "../../support/session-state.ts";

const opening = {
  turnId: "turn-2",
  messageId: "message-2",
  body: createTextMessage("Go on."),
  author: cron,
  model: null,
};

describe("a turn's statuses", () => {
  it("are the contract's", () => {
    expect(turnStatuses).toEqual(["pending", "running", "awaiting_response", "completed", "failed", "cancelled"]);
  });

  it("occupy the chat if it is pending or running, and otherwise not", () => {
    expect(turnStatuses.filter((status) => isUnfinished(turn(status)))).toEqual(["pending", "running"]);
    expect(isUnfinished(null)).toBe(false);
  });
});

describe("a turn that a message starts", () => {
  const begun = startTurn(chatState({ turn: turn("completed", { number: 4 }) }), opening, now);

  it("is pending, has the chat's next number and no data of the previous turn", () => {
    expect(begun.state.turn).toEqual({
      id: "turn-2",
      number: 5,
      status: "pending",
      error: null,
      errorCode: null,
      sender: cron,
      model: "anthropic:opus__high",
      conversationId: "conversation-1",
      isHandover: false,
      usage: null,
      payer: null,
      generation: 0,
      resultSchema: null,
      result: null,
      stopRequestedAt: null,
      createdAt: now,
      startedAt: null,
      completedAt: null,
    });
  });

  it.each([
    ["of the same provider goes on in the agent's conversation", "anthropic:sonnet__high", "conversation-1", false],
    ["of another provider starts fresh, with what was said as text", "openai:gpt__high", "turn-2", true],
  ])("%s", (_, model, conversationId, isHandover) => {
    const switched = startTurn(chatState({ turn: turn("completed") }), { ...opening, model }, now).state;
    expect(switched.turn).toMatchObject({ model, conversationId, isHandover });
    expect(switched).toMatchObject({ model, conversationId });
  });

  it("of another provider has no handover after a clear, which began a new conversation", () => {
    const cleared = chatState({ turn: turn("completed"), conversationId: "conversation-2" });
    const begun = startTurn(cleared, { ...opening, model: "openai:gpt__high" }, now).state;
    expect(begun.turn).toMatchObject({ conversationId: "conversation-2", isHandover: false });
  });

  it("is number 1 when it is the first", () => {
    expect(startTurn(chatState(), opening, now).state.turn?.number).toBe(1);
  });

  const message = {
    id: "message-2",
    turnId: "turn-2",
    ...createTextMessage("Go on."),
    delivery: "job",
    author: cron,
    createdAt: now,
  };

  it("adds its message once", () => {
    expect(begun.state.newMessages).toEqual([message]);
  });

  it("keeps the messages that the same decision has added", () => {
    const earlier = { ...message, id: "message-1", turnId: "turn-1", delivery: "steer" } as const;
    const { state } = startTurn(chatState({ newMessages: [earlier] }), opening, now);
    expect(state.newMessages).toEqual([earlier, message]);
  });

  it("has its watchdog set before any request is sent", () => {
    expect(begun.effects[0]).toEqual({ type: "remind", name: "watch-turn", at: now + firstCheckMs });
    expect(begun.effects.slice(1)).toEqual([
      { type: "start-turn", id: "turn-2" },
      { type: "index-turn", id: "turn-2" },
      { type: "index-chat" },
    ]);
  });

  it("sets the chat's model", () => {
    const started = startTurn(chatState(), { ...opening, model: "openai:gpt__high" }, now).state;
    expect([started.turn?.model, started.model]).toEqual(["openai:gpt__high", "openai:gpt__high"]);
  });

  it("runs on the chat's model if it has none", () => {
    expect([begun.state.turn?.model, begun.state.model]).toEqual(["anthropic:opus__high", "anthropic:opus__high"]);
  });
});

describe("the event that a sandbox has started the turn", () => {
  const news = { turnId: "turn-1", generation: 3 };

  it("makes a pending turn running, once", () => {
    const { state, result, effects } = accepted(recordTurnStart(chatState({ turn: turn("pending") }), news, now));
    expect(result).toEqual({ isLive: true });
    expect(state.turn).toMatchObject({ status: "running", generation: 3, startedAt: now });
    expect(effects).toEqual([{ type: "index-turn", id: "turn-1" }, { type: "index-chat" }]);

    const again = accepted(recordTurnStart(state, news, now + 5));
    expect(again.state).toBe(state);
    expect([again.result, again.effects]).toEqual([{ isLive: true }, []]);
  });

  it("moves a running turn to a newer sandbox without changing its start time", () => {
    const running = chatState({ turn: turn("running", { generation: 2, startedAt: now - 50 }) });
    const { state } = accepted(recordTurnStart(running, news, now));
    expect(state.turn).toMatchObject({ generation: 3, startedAt: now - 50 });
  });

  it.each([
    ["an older sandbox", turn("running", { generation: 4 })],
    ["another turn", turn("running", { id: "turn-0" })],
    ["a turn that completed", turn("completed")],
    ["a turn that failed", turn("failed")],
    ["a turn that was stopped", turn("cancelled")],
    ["a turn that asked", turn("awaiting_response")],
    ["no turn", null],
  ])("changes nothing if it is of %s", (_, present) => {
    const state = chatState({ turn: present });
    expect(recordTurnStart(state, news, now)).toEqual({ state, result: { isLive: false }, effects: [] });
  });
});

describe("what a running turn used", () => {
  it.each([
    [0, usageReportMs],
    [usageReportMs - 1, usageReportMs],
    [usageReportMs, 2 * usageReportMs],
    [10 * usageReportMs + 5, 11 * usageReportMs],
  ])("is reported at times of the turn's own: counted after %i ms, reported after %i", (countedMs, toldMs) => {
    expect(getUsageReportTime({ createdAt: now }, now + countedMs)).toBe(now + toldMs);
  });

  it("is reported while it runs and has used anything", () => {
    const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 0, nanoUsd: 1, payer: "workspace" } as const;
    const told = (of: Parameters<typeof turn>) => accepted(publishUsage(chatState({ turn: turn(...of) }))).effects;
    expect(told(["running", { usage }])).toEqual([{ type: "index-usage", id: "turn-1" }]);
    expect(told(["running", {}])).toEqual([]);
    // Its end has reported it.
    expect(told(["completed", { usage }])).toEqual([]);
  });
});
