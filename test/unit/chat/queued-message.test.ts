import { describe, expect, it } from "vitest";
import { type Actor, type Author, isOwn } from "../../../src/access/rules/actor.ts";
import type { Role } from "../../../src/access/rules/membership.ts";
import type { ChatState } from "../../../src/chat/rules/chat.ts";
import type { Attachment } from "../../../src/chat/rules/message.ts";
import {
  deleteQueued,
  editingMs,
  moveQueuedMessage,
  type QueuedEdit,
  type QueuedMessage,
  updateQueuedMessage,
} from "../../../src/chat/rules/queue.ts";
import { attachmentCount } from "../../../src/rules/limits.ts";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import {
  accepted,
  byAuthor,
  byMember,
  chatState,
  cron,
  member,
  now,
  otherSession,
  refusalCode,
  relay,
  waiting,
} from "../../support/session-state.ts";

const ada = byMember();
const bob = (role: Role | null) => byMember("usr_bob", role);
const here = { hasLeft: false };
const withTurn = waiting("z").map((message) => ({ steerId: "steer-1", turnId: "turn-1", message }));
const file = (id: string): Attachment => ({ id, name: `${id}.txt`, mediaType: "text/plain", byteSize: 1 });
const ids = (messages: { id: string }[]) => messages.map(({ id }) => id);

describe("the author of a queued message", () => {
  const run2: Author = { kind: "cron", cronId: "cron-1", runId: "run-2" };
  const session3: Author = { kind: "session", sessionId: "session-3" };
  const rows: [promise: string, author: Author, by: Actor, isOwn: boolean][] = [
    ["a member is the member", member(), ada, true],
    ["a member is an agent that acts as the member", member(), byAuthor(otherSession, "usr_ada"), true],
    ["a member is not another member", member(), bob("member"), false],
    ["a member is not an agent that acts as nobody", member(), byAuthor(otherSession), false],
    ["a cron run is the run", cron, byAuthor(cron, "usr_ada"), true],
    ["a cron run is not another run of the cron", cron, byAuthor(run2, "usr_ada"), false],
    ["a cron run is not the member who made the cron", cron, ada, false],
    ["a session is its agent", otherSession, byAuthor(otherSession, "usr_bob"), true],
    ["a session is not the agent of another", otherSession, byAuthor(session3), false],
    ["a relay is not a member", relay, ada, false],
  ];

  it.each(rows)("%s", (_, author, by, isOwn) => {
    const state = chatState({ upNext: waiting("a").map((message) => ({ ...message, author })) });
    const code = isOwn ? null : "FORBIDDEN";
    expect(refusalCode(moveQueuedMessage(state, { messageId: "a", by, toIndex: 0 }, here))).toBe(code);
    expect(refusalCode(deleteQueued(state, { messageId: "a", by }, here))).toBe(code);
  });

  it.each<[string, Author]>([
    ["a relay", relay],
    ["an agent that acts as nobody", otherSession],
    ["a cron run whose creator left", cron],
  ])("changes nothing as %s, which acts for no member", (_, author) => {
    const state = chatState({ upNext: waiting("a").map((message) => ({ ...message, author })) });
    const by = byAuthor(author);
    expect(isOwn(author, by)).toBe(true);
    expect(refusalCode(moveQueuedMessage(state, { messageId: "a", by, toIndex: 0 }, here))).toBe("FORBIDDEN");
    expect(refusalCode(deleteQueued(state, { messageId: "a", by }, here))).toBe("FORBIDDEN");
  });

  it("cannot change it after leaving the workspace", () => {
    const state = chatState({ upNext: waiting("a") });
    const by = byMember("usr_ada", null);
    expect(refusalCode(moveQueuedMessage(state, { messageId: "a", by, toIndex: 0 }, here))).toBe("FORBIDDEN");
    expect(refusalCode(deleteQueued(state, { messageId: "a", by }, here))).toBe("FORBIDDEN");
  });
});

describe("a message that is not queued", () => {
  const edit = { version: null, content: "new", retained: null, added: [], editing: null };
  const other = waiting("a");
  const rows: [promise: string, state: ChatState, hasLeft: boolean, code: RefusalCode][] = [
    ["because it has left", chatState({ upNext: other }), true, "QUEUED_MESSAGE_GONE"],
    ["because a turn has it", chatState({ upNext: other, steers: withTurn }), false, "QUEUED_MESSAGE_GONE"],
    ["because it never was", chatState({ upNext: other }), false, "NOT_FOUND"],
  ];

  it.each(rows)("%s cannot be edited, moved or deleted", (_, state, hasLeft, code) => {
    const command = { messageId: "z", by: ada };
    expect(refusalCode(updateQueuedMessage(state, { ...edit, ...command }, { hasLeft }, now))).toBe(code);
    expect(refusalCode(moveQueuedMessage(state, { ...command, toIndex: 0 }, { hasLeft }))).toBe(code);
    expect(refusalCode(deleteQueued(state, command, { hasLeft }))).toBe(code);
  });
});

describe("an edit", () => {
  const untouched = { version: null, content: null, retained: null, added: [], editing: null };
  const edit = (changes: Partial<QueuedEdit>, message: Partial<QueuedMessage> = {}) => {
    const [first, second] = waiting("a", "b");
    const upNext = first && second ? [{ ...first, ...message }, second] : [];
    return updateQueuedMessage(chatState({ upNext }), { ...untouched, messageId: "a", by: ada, ...changes }, here, now);
  };
  const many = Array.from({ length: attachmentCount }, (_, place) => file(`f${place}`));
  const edited = (...parts: Parameters<typeof edit>) => accepted(edit(...parts)).state.upNext[0];

  it("of the current version is accepted, and does not change position and author", () => {
    const { state, result, effects } = accepted(edit({ content: "new", version: 1 }));
    expect([ids(state.upNext), result, effects]).toEqual([["a", "b"], null, []]);
    expect(state.upNext[0]).toMatchObject({ author: member(), createdAt: now, editing: null });
    expect(state.upNext[1]).toEqual(waiting("b")[0]);
  });

  it("may delete the text if there are files or review comments", () => {
    const context = { preview: null, reviewCommentIds: ["comment-1"] };
    expect(edited({ content: "" }, { attachments: [file("f")] })).toMatchObject({ content: "" });
    expect(edited({ content: "", added: [file("f")] })).toMatchObject({ content: "" });
    expect(edited({ content: "" }, { context })).toMatchObject({ content: "", context });
  });

  it("of only the files increases the version too", () => {
    expect(edited({ added: [file("f")] })?.version).toBe(2);
    expect(edited({ retained: [] }, { attachments: [file("f")] })?.version).toBe(2);
  });

  it("accepts as many files as a message may have", () => {
    const attachments = many.slice(1);
    expect(edited({ added: [file("last")] }, { attachments })?.attachments).toHaveLength(attachmentCount);
  });

  it("of the text increases the version and changes nothing else", () => {
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
    const files = edited(
      { content: "new", retained, added: added.map(file) },
      { attachments: [file("f"), file("g")] },
    )?.attachments;
    expect(files?.map(({ id }) => id)).toEqual(left);
  });

  it("deletes removed files from storage", () => {
    const { effects } = accepted(edit({ retained: ["g"] }, { attachments: [file("f"), file("g")] }));
    expect(effects).toEqual([{ type: "drop-attachments", id: "f", attachmentIds: ["f"] }]);
  });

  it("that only opens it shows the editor, and does not change the version", () => {
    expect(edited({ editing: true })).toMatchObject({
      version: 1,
      editing: { userId: "usr_ada", until: now + editingMs },
    });
    const open = { editing: { userId: "usr_ada", until: now } };
    expect(edited({ editing: false }, open)?.editing).toBeNull();
    expect(edited({ content: "new" }, open)?.editing).toBeNull();
    expect(edited({ content: "new", editing: true })?.editing).toEqual({ userId: "usr_ada", until: now + editingMs });
  });

  it.each<[string, Actor, Author]>([
    ["a run", byAuthor(cron, "usr_ada"), cron],
    ["an agent of the author", byAuthor(otherSession, "usr_ada"), member()],
  ])("that is opened by %s shows no editor, and leaves the one that is shown", (_, by, author) => {
    const editing = { userId: "usr_ada", until: now + 1 };
    expect(edited({ editing: true, by }, { author })?.editing).toBeNull();
    expect(edited({ editing: true, by }, { author, editing })?.editing).toEqual(editing);
    expect(edited({ editing: true, content: "new", by }, { author, editing })?.editing).toBeNull();
  });

  it.each<[string, Partial<QueuedEdit>, Partial<QueuedMessage>, RefusalCode]>([
    ["of an older version", { content: "new", version: 1 }, { version: 2 }, "QUEUED_MESSAGE_CHANGED"],
    ["of a version that is not there yet", { content: "new", version: 2 }, {}, "QUEUED_MESSAGE_CHANGED"],
    ["to nothing", { content: " " }, {}, "VALIDATION_ERROR"],
    ["of nothing", {}, {}, "VALIDATION_ERROR"],
    ["of nothing, of an older version", { version: 1 }, { version: 2 }, "VALIDATION_ERROR"],
    [
      "that takes the last file of a message without text",
      { retained: [] },
      { content: "", attachments: [file("f")] },
      "VALIDATION_ERROR",
    ],
    ["that keeps a file the message has not", { retained: ["z"] }, {}, "BAD_REQUEST"],
    [
      "that keeps one the message has and one it has not",
      { retained: ["f", "z"] },
      { attachments: [file("f")] },
      "BAD_REQUEST",
    ],
    ["with too many files", { added: [file("one-more")] }, { attachments: many }, "BAD_REQUEST"],
    ["by another member", { content: "new", by: bob("member") }, {}, "FORBIDDEN"],
    ["by the owner, for it is its author's", { content: "new", by: bob("owner") }, {}, "FORBIDDEN"],
  ])("%s is refused", (_, changes, message, code) => {
    expect(refusalCode(edit(changes, message))).toBe(code);
  });
});

describe("a deletion", () => {
  it.each<[string, Actor, RefusalCode | null]>([
    ["its author", ada, null],
    ["an admin", bob("admin"), null],
    ["the owner", bob("owner"), null],
    ["another member", bob("member"), "FORBIDDEN"],
    ["somebody who is no member", bob(null), "FORBIDDEN"],
  ])("by %s: %s", (_, by, code) => {
    const state = chatState({ upNext: waiting("a", "b") });
    expect(refusalCode(deleteQueued(state, { messageId: "a", by }, here))).toBe(code);
  });

  it("does not change the order of the others, and lists show it", () => {
    const state = chatState({ upNext: waiting("a", "b", "c") });
    const deleted = accepted(deleteQueued(state, { messageId: "b", by: ada }, here));
    expect([ids(deleted.state.upNext), deleted.effects]).toEqual([["a", "c"], [{ type: "index-chat" }]]);
  });

  it("deletes the message's files", () => {
    const [message] = waiting("a");
    const upNext = message ? [{ ...message, attachments: [file("f")] }] : [];
    const { state, effects } = accepted(deleteQueued(chatState({ upNext }), { messageId: "a", by: ada }, here));
    expect(state.upNext).toEqual([]);
    expect(effects).toContainEqual({ type: "drop-attachments", id: "f", attachmentIds: ["f"] });
  });
});

describe("a move", () => {
  const abcd = ["a", "b", "c", "d"];
  const rows = abcd.flatMap((id) => [0, 1, 2, 3, 4, 1_000].map((toIndex): [string, number] => [id, toIndex]));

  it.each(rows)(
    "of %s to %i moves it there or to the end, and does not change the order of the others",
    (id, toIndex) => {
      const state = chatState({ upNext: waiting(...abcd) });
      const moved = ids(accepted(moveQueuedMessage(state, { messageId: id, by: ada, toIndex }, here)).state.upNext);
      expect(moved.indexOf(id)).toBe(Math.min(toIndex, 3));
      expect(moved.filter((other) => other !== id)).toEqual(abcd.filter((other) => other !== id));
    },
  );

  it.each([-1, -1_000])("to %i, before the top, is refused", (toIndex) => {
    const state = chatState({ upNext: waiting("a", "b") });
    expect(refusalCode(moveQueuedMessage(state, { messageId: "b", by: ada, toIndex }, here))).toBe("BAD_REQUEST");
  });

  it.each(["member", "admin", "owner"] as const)("by another %s is refused: only its author may edit it", (role) => {
    const state = chatState({ upNext: waiting("a", "b") });
    expect(refusalCode(moveQueuedMessage(state, { messageId: "b", by: bob(role), toIndex: 0 }, here))).toBe(
      "FORBIDDEN",
    );
  });

  it("changes only the order", () => {
    const state = chatState({ upNext: waiting("a", "b"), pause: { reason: "failed", pausedAt: now } });
    const { state: after, effects } = accepted(moveQueuedMessage(state, { messageId: "b", by: ada, toIndex: 0 }, here));
    expect([{ ...after, upNext: state.upNext }, effects]).toEqual([state, []]);
  });
});
