// The events of a decision for those who follow a session: what changed, in the order in which it
// happened, and nothing else.
import { describe, expect, test } from "vitest";
import type { ChatState } from "../../../src/chat/rules/chat.ts";
import type { ChatEvent } from "../../../src/chat/rules/live-event.ts";
import { toWireSessionEvent } from "../../../src/chat/wire/live-event.ts";
import { listSessionChanges, type SessionChanged } from "../../../src/session/rules/live-event.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { member, now, sessionState, turn, waiting } from "../../support/session-state.ts";

const publicUrl = "https://service.example";
const place = { id: "session-1", projectId: "project-1" };
const told = (before: SessionState | null, after: SessionState | null) =>
  listSessionChanges(before, after).map((event) => ({
    turnId: event.turnId,
    ...toWireSessionEvent(event as ChatEvent | SessionChanged, place, publicUrl),
  }));
const names = (before: SessionState | null, after: SessionState | null) =>
  told(before, after).map(({ event }) => event);

const message = (turnId: string, delivery: "job" | "steer") => ({
  id: `message of ${turnId}`,
  turnId,
  delivery,
  content: "Go on.",
  attachments: [],
  context: { preview: null, reviewCommentIds: [] },
  author: member(),
  createdAt: now,
});

const changed = (state: SessionState, chat: Partial<ChatState>): SessionState => ({
  ...state,
  chat: { ...state.chat, ...chat },
});

describe("a change", () => {
  test("without effect sends nothing", () => {
    const state = sessionState({ turn: turn("running"), upNext: waiting("a") });
    expect(told(state, state)).toEqual([]);
    expect(told(state, structuredClone(state))).toEqual([]);
    expect(told(null, null)).toEqual([]);
  });

  test("that is not on the wire sends nothing", () => {
    const before = sessionState({ turn: turn("running") });
    const after = changed(before, { turn: turn("running", { stopRequestedAt: now, generation: 2 }) });
    expect(told(before, after)).toEqual([]);
  });

  test("of the record is sent as the session", () => {
    const before = sessionState();
    const events = told(before, sessionState({ session: { title: "Renamed" } }));
    expect(events).toMatchObject([{ turnId: null, event: "session", data: { session: { title: "Renamed" } } }]);
  });

  test("of what the turn was given and has not taken is sent with the queue", () => {
    const running = sessionState({ turn: turn("running"), upNext: waiting("a") });
    const [message] = waiting("a");
    const steers = message ? [{ steerId: "steer-1", turnId: "turn-1", message }] : [];
    const given = changed(running, { upNext: [], steers });
    expect(told(running, given).at(-1)).toMatchObject({ event: "queue", data: { count: 0, steers: ["steer-1"] } });
    expect(told(given, changed(given, { steers: [] })).at(-1)?.data).toEqual({ count: 0, paused: null, messages: [] });
  });

  test("of the queue is sent as the queue, without its texts", () => {
    const events = told(sessionState(), sessionState({ upNext: waiting("a", "b") }));
    expect(events.map(({ event }) => event)).toEqual(["session", "queue"]);
    expect(events[1]?.data).toEqual({
      count: 2,
      paused: null,
      messages: [
        { id: "a", position: 0, version: 1, editingBy: null },
        { id: "b", position: 1, version: 1, editingBy: null },
      ],
    });
    const edited = sessionState({ upNext: waiting("a", "b").map((message) => ({ ...message, version: 2 })) });
    expect(names(sessionState({ upNext: waiting("a", "b") }), edited)).toEqual(["queue"]);
    const editing = { userId: "usr_ada", until: now };
    const opened = sessionState({ upNext: waiting("a").map((message) => ({ ...message, editing })) });
    const editingBy = { userId: "usr_ada", expiresAt: new Date(now).toISOString() };
    expect(told(sessionState({ upNext: waiting("a") }), opened).at(-1)?.data).toMatchObject({
      messages: [{ editingBy }],
    });
  });

  test("that creates a session sends its state, and one that deletes it sends the deletion", () => {
    expect(names(null, sessionState())).toEqual(["session", "queue"]);
    expect(told(sessionState(), null)).toEqual([{ turnId: null, event: "end", data: { deleted: true } }]);
  });

  test("that ends a turn and starts the next sends the end first", () => {
    const before = sessionState({ turn: turn("running") });
    const endedTurn = turn("completed");
    const next = turn("pending", { id: "turn-2", number: 2 });
    const events = told(before, changed(before, { turn: next, endedTurn, newMessages: [message("turn-2", "job")] }));
    expect(events.map(({ turnId, event }) => [turnId, event])).toEqual([
      ["turn-1", "job"],
      ["turn-1", "end"],
      ["turn-2", "block"],
      ["turn-2", "job"],
      [null, "session"],
      [null, "queue"],
    ]);
  });

  test("that hands a message to the running turn sends it as a message of that turn", () => {
    const before = sessionState({ turn: turn("running") });
    const events = told(before, changed(before, { newMessages: [message("turn-1", "steer")] }));
    expect(events).toMatchObject([
      { turnId: "turn-1", event: "block", data: { role: "user", delivery: "steer", block: { content: "Go on." } } },
    ]);
  });
});
