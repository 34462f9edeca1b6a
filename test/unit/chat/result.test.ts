// What a turn with a schema keeps of its message, takes from its agent, and needs at its end.
import { describe, expect, it, test } from "vitest";
import { createTextMessage, type MessageBody } from "../../../src/chat/rules/message.ts";
import { startQueued, updateQueuedMessage } from "../../../src/chat/rules/queue.ts";
import { recordResult } from "../../../src/chat/rules/result.ts";
import { sendMessage } from "../../../src/chat/rules/send.ts";
import { steer } from "../../../src/chat/rules/steer.ts";
import { startTurn, type Turn } from "../../../src/chat/rules/turn.ts";
import { endTurn, type TurnEnd } from "../../../src/chat/rules/turn-end.ts";
import { accepted, byMember, chatState, member, now, refusalCode, turn, waiting } from "../../support/session-state.ts";

const resultSchema = JSON.stringify({ type: "object", properties: { pass: { type: "boolean" } }, required: ["pass"] });
const good = '{"pass":true}';
const asking = (body: MessageBody): MessageBody => ({ ...body, context: { ...body.context, resultSchema } });
const queued = (schema: boolean) => waiting("a").map((one) => (schema ? { ...one, ...asking(one) } : one));

describe("the schema of a turn", () => {
  const opening = { turnId: "turn-2", messageId: "message-2", author: member(), model: null };
  const start = (previous: Turn | null, body: MessageBody, startsFresh = false) =>
    startTurn(chatState({ turn: previous }), { ...opening, body, startsFresh }, now).state.turn?.resultSchema;
  const asked = turn("awaiting_response", { resultSchema });
  const early = (body: MessageBody) => ({ ...body, context: { ...body.context, writtenAt: now - 5_000 } });

  it.each<[string, Turn | null, MessageBody, string | null]>([
    ["is that of its message", null, asking(createTextMessage("Judge.")), resultSchema],
    ["is none without one", turn("completed", { resultSchema }), createTextMessage("Thanks."), null],
    ["is kept by an answer", asked, createTextMessage("Very."), resultSchema],
    ["is not kept by a message that was written before the question", asked, early(createTextMessage("Later.")), null],
    ["is not kept by a built-in skill", asked, createTextMessage("/svc:open-pr"), null],
    ["is not kept after a stop", turn("cancelled", { resultSchema }), createTextMessage("Stop."), null],
  ])("%s", (_, previous, body, schema) => {
    expect(start(previous, body)).toBe(schema);
  });

  it("is not kept by a message after /clear, which the agent cannot relate to the question", () => {
    const chat = chatState({ turn: asked, clearedAt: now });
    const { turn: started } = startTurn(chat, { ...opening, body: createTextMessage("Very.") }, now).state;
    expect(started?.resultSchema).toBeNull();
  });

  it("is kept by a retry of the turn, and by no other send", () => {
    const failed = turn("failed", { resultSchema, errorCode: "context_window_exceeded" });
    const send = (retriedTurnId: string | null) => {
      const command = { ...opening, body: createTextMessage("Again."), by: byMember(), retriedTurnId };
      return accepted(sendMessage(chatState({ turn: failed }), command, { checkStart: () => null }, now)).state.turn;
    };
    expect([send("turn-1")?.resultSchema, send(null)?.resultSchema]).toEqual([resultSchema, null]);
  });

  it("waits with its message in Up next, through an edit", () => {
    const edit = {
      messageId: "a",
      by: byMember(),
      version: 1,
      content: "New.",
      retained: null,
      added: [],
      editing: null,
    };
    const chat = chatState({ turn: turn("completed"), upNext: queued(true) });
    const { state } = accepted(updateQueuedMessage(chat, edit, { hasLeft: false }, now));
    const [message] = state.upNext;
    if (!message) throw new Error("The message is gone.");
    const started = startQueued(state, message, { turnId: "turn-2", model: null }, now).state;
    expect(started.turn).toMatchObject({ resultSchema, result: null });
  });

  it.each([
    [true, "STEER_UNAVAILABLE"],
    [false, null],
  ])("keeps its message out of another turn: %s", (schema, code) => {
    const chat = chatState({ turn: turn("running"), upNext: queued(schema) });
    const command = { messageId: "a", steerId: "steer-1", by: byMember() };
    expect(refusalCode(steer(chat, command, { hasLeft: false }))).toBe(code);
  });
});

describe("a result", () => {
  const running = (changes: Partial<Turn> = {}) => chatState({ turn: turn("running", { resultSchema, ...changes }) });
  const given = (result: string) => ({ turnId: "turn-1", result });

  it("is the turn's if it matches; the newest counts", () => {
    const first = accepted(recordResult(running(), given(good)));
    expect(first.result).toEqual({ text: "The result was taken.", questions: null, endsTurn: true });
    const { state } = accepted(recordResult(first.state, given('{"pass":false}')));
    expect(state.turn?.result).toBe('{"pass":false}');
  });

  it("is refused with the fields that are wrong, and an earlier one stays", () => {
    const before = running({ result: good });
    expect(recordResult(before, given('{"pass":"no"}'))).toMatchObject({
      code: "BAD_REQUEST",
      message: "The result was not taken. pass must be true or false. Submit all of it again.",
    });
  });

  it.each<[string, Partial<Turn>]>([
    ["that ended", { status: "completed" }],
    ["that is being stopped", { stopRequestedAt: now }],
    ["that is another one", { id: "turn-2" }],
    ["that was asked for none", { resultSchema: null }],
  ])("is refused for a turn %s", (_, changes) => {
    expect(refusalCode(recordResult(running(changes), given(good)))).toBe("FORBIDDEN");
  });
});

describe("the end of a turn with a schema", () => {
  const broken: TurnEnd = { status: "failed", error: "It broke.", errorCode: null };
  test.each<[string, TurnEnd, string | null, Partial<Turn>, string, string | null]>([
    ["with its result", { status: "completed" }, good, {}, "completed", null],
    ["without", { status: "completed" }, null, {}, "failed", "result_missing"],
    ["with a question", { status: "awaiting_response" }, null, {}, "awaiting_response", null],
    ["by another failure", broken, null, {}, "failed", null],
    ["by a stop", { status: "completed" }, null, { stopRequestedAt: now }, "cancelled", null],
  ])("%s", (_, end, result, changes, status, errorCode) => {
    const chat = chatState({ turn: turn("running", { resultSchema, result, ...changes }) });
    const { state } = accepted(endTurn(chat, { turnId: "turn-1", end }, now));
    expect(state.turn).toMatchObject({ status, errorCode, result });
  });
});
