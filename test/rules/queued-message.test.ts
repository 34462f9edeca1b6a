import { describe, expect, it } from "vitest";
import { attachmentCount } from "../../src/rules/limits.ts";
import type { Attachment } from "../../src/rules/message.ts";
import {
  type Actor,
  deleteQueued,
  editingMs,
  editQueued,
  moveQueued,
  type QueuedEdit,
} from "../../src/rules/queued-message.ts";
import type { RefusalCode } from "../../src/rules/refusal.ts";
import { returnSteers, steer, steerTaken } from "../../src/rules/steer.ts";
import type { QueuedMessage } from "../../src/rules/up-next.ts";
import { accepted, member, now, refusalCode, sessionState, turn, waiting } from "../support/session-state.ts";

const ada: Actor = { userId: "usr_ada", author: member(), role: "member" };
const bob = (role: Actor["role"]): Actor => ({ userId: "usr_bob", author: member("usr_bob"), role });
const here = { hasLeft: false };
const file = (id: string): Attachment => ({ id, name: `${id}.txt`, mediaType: "text/plain", byteSize: 1 });
const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

describe("an edit", () => {
  const untouched = { version: null, content: null, retained: null, added: [], editing: null };
  const edit = (changes: Partial<QueuedEdit>, message: Partial<QueuedMessage> = {}) => {
    const [first, second] = waiting("a", "b");
    const upNext = first && second ? [{ ...first, ...message }, second] : [];
    return editQueued(sessionState({ upNext }), { ...untouched, messageId: "a", actor: ada, ...changes }, here, now);
  };
  const edited = (...parts: Parameters<typeof edit>) => accepted(edit(...parts)).state.upNext[0];

  it("of the text raises the version and keeps everything else", () => {
    expect(edited({ content: "new" }, { attachments: [file("f")] })).toMatchObject({
      content: "new",
      version: 2,
      attachments: [file("f")],
    });
  });

  it.each<[string[] | null, string[], string[]]>([
    [null, [], ["f", "g"]],
    [["g"], [], ["g"]],
    [[], [], []],
    [["f"], ["h"], ["f", "h"]],
    [null, ["h"], ["f", "g", "h"]],
  ])("that keeps %o and adds %o leaves the files %o", (retained, added, left) => {
    const files = edited({ retained, added: added.map(file) }, { attachments: [file("f"), file("g")] })?.attachments;
    expect(files?.map(({ id }) => id)).toEqual(left);
  });

  it("drops what it does not keep from storage", () => {
    const { effects } = accepted(edit({ retained: ["g"] }, { attachments: [file("f"), file("g")] }));
    expect(effects).toEqual([{ do: "drop-attachments", sessionId: "session-1", attachmentIds: ["f"] }]);
  });

  it("that only opens it for editing shows who, and leaves the version", () => {
    expect(edited({ editing: true })).toMatchObject({
      version: 1,
      editing: { userId: "usr_ada", until: now + editingMs },
    });
    const open = { editing: { userId: "usr_ada", until: now } };
    expect(edited({ editing: false }, open)?.editing).toBeNull();
    expect(edited({ content: "new" }, open)?.editing).toBeNull();
  });

  const many = Array.from({ length: attachmentCount }, (_, place) => file(`f${place}`));
  it.each<[string, Partial<QueuedEdit>, Partial<QueuedMessage>, RefusalCode]>([
    ["of an older version", { content: "new", version: 1 }, { version: 2 }, "QUEUED_MESSAGE_CHANGED"],
    ["to nothing", { content: " " }, {}, "VALIDATION_ERROR"],
    [
      "that takes the last file of a message without text",
      { retained: [] },
      { content: "", attachments: [file("f")] },
      "VALIDATION_ERROR",
    ],
    ["that keeps a file the message has not", { retained: ["z"] }, {}, "BAD_REQUEST"],
    ["with too many files", { added: [file("one-more")] }, { attachments: many }, "BAD_REQUEST"],
    ["by another member", { content: "new", actor: bob("member") }, {}, "FORBIDDEN"],
    ["by the owner, for it is its author's", { content: "new", actor: bob("owner") }, {}, "FORBIDDEN"],
    ["of a message that never was", { content: "new", messageId: "z" }, {}, "NOT_FOUND"],
  ])("%s is refused", (_, changes, message, code) => {
    expect(refusalCode(edit(changes, message))).toBe(code);
  });

  it("of a message that has left is told so", () => {
    const late = { ...untouched, messageId: "z", actor: ada, content: "new" };
    expect(refusalCode(editQueued(sessionState(), late, { hasLeft: true }, now))).toBe("QUEUED_MESSAGE_GONE");
  });
});

describe("a deletion", () => {
  it.each<[string, Actor, RefusalCode | null]>([
    ["its author", ada, null],
    ["an admin", bob("admin"), null],
    ["the owner", bob("owner"), null],
    ["another member", bob("member"), "FORBIDDEN"],
    ["somebody who is no member", bob(null), "FORBIDDEN"],
  ])("by %s: %s", (_, actor, code) => {
    const state = sessionState({ upNext: waiting("a", "b") });
    expect(refusalCode(deleteQueued(state, { messageId: "a", actor }, here))).toBe(code);
  });

  it("takes the message's files with it", () => {
    const [message] = waiting("a");
    const upNext = message ? [{ ...message, attachments: [file("f")] }] : [];
    const { state, effects } = accepted(deleteQueued(sessionState({ upNext }), { messageId: "a", actor: ada }, here));
    expect(state.upNext).toEqual([]);
    expect(effects).toContainEqual({ do: "drop-attachments", sessionId: "session-1", attachmentIds: ["f"] });
  });
});

describe("a move", () => {
  it.each([
    [0, ["c", "a", "b", "d"]],
    [1, ["a", "c", "b", "d"]],
    [2, ["a", "b", "c", "d"]],
    [3, ["a", "b", "d", "c"]],
    [1_000, ["a", "b", "d", "c"]],
  ])("to %i", (toIndex, order) => {
    const state = sessionState({ upNext: waiting("a", "b", "c", "d") });
    expect(ids(accepted(moveQueued(state, { messageId: "c", actor: ada, toIndex }, here)).state.upNext)).toEqual(order);
  });

  it("to before the top is refused", () => {
    const state = sessionState({ upNext: waiting("a") });
    expect(refusalCode(moveQueued(state, { messageId: "a", actor: ada, toIndex: -1 }, here))).toBe("BAD_REQUEST");
  });
});

describe("a steer", () => {
  const steerB = { messageId: "b", steerId: "steer-1", actor: ada };
  const running = (changes = {}) => sessionState({ turn: turn("running"), upNext: waiting("a", "b", "c"), ...changes });
  const handed = (upNext: QueuedMessage[]) =>
    upNext.map((message) => ({ steerId: `of ${message.id}`, turnId: "turn-1", message }));

  it("takes the message out of Up next and hands it to the turn, behind those before it", () => {
    const before = handed(waiting("x"));
    const { state, answer, effects } = accepted(steer(running({ steers: before }), steerB, here));
    expect([ids(state.upNext), state.steers.map(({ message }) => message.id)]).toEqual([
      ["a", "c"],
      ["x", "b"],
    ]);
    expect(answer).toMatchObject({ steerId: "steer-1", turnId: "turn-1" });
    expect(effects).toContainEqual({ do: "deliver-steers", turnId: "turn-1" });
  });

  it.each<[string, Parameters<typeof running>[0], object, RefusalCode]>([
    ["when nothing ran yet", { turn: null }, {}, "STEER_UNAVAILABLE"],
    ["when the turn has ended", { turn: turn("completed") }, {}, "STEER_UNAVAILABLE"],
    ["when the turn has not begun", { turn: turn("pending") }, {}, "STEER_UNAVAILABLE"],
    [
      "when the turn is being stopped",
      { turn: turn("running", { stopRequestedAt: now }) },
      {},
      "JOB_STOPPED_TEXT_RETURNED",
    ],
    ["into another member's turn", { turn: turn("running", { sender: member("usr_bob") }) }, {}, "FORBIDDEN"],
    ["of another member's message", {}, { actor: bob("owner") }, "FORBIDDEN"],
    ["of a message that never was", {}, { messageId: "z" }, "NOT_FOUND"],
    [
      "of a message that is with the turn already",
      { steers: handed(waiting("z")) },
      { messageId: "z" },
      "QUEUED_MESSAGE_GONE",
    ],
  ])("%s is refused, and the message stays", (_, changes, command, code) => {
    expect(refusalCode(steer(running(changes), { ...steerB, ...command }, here))).toBe(code);
  });

  it("that is taken joins the conversation once", () => {
    const state = running({ steers: handed(waiting("x", "y")) });
    const news = { turnId: "turn-1", steerId: "of x" };
    const taken = accepted(steerTaken(state, news, now)).state;
    expect(taken.spoken).toMatchObject([{ id: "x", turnId: "turn-1", delivery: "steer", createdAt: now }]);
    expect(taken.steers.map(({ message }) => message.id)).toEqual(["y"]);
    expect(accepted(steerTaken({ ...taken, spoken: [] }, news, now)).state.spoken).toEqual([]);
  });

  it("that is not taken comes back to the top, in order", () => {
    const state = running({ steers: handed(waiting("x", "y")) });
    expect(ids(returnSteers(state).upNext)).toEqual(["x", "y", "a", "b", "c"]);
  });
});
