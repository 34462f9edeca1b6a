// The words and rules of finding: reasons, titles, drafts of new sessions, filters in the address.
import { expect, test } from "vitest";
import {
  type ActivityEvent,
  addEvent,
  describeSource,
  findCron,
  findSeenLine,
  isShown,
} from "../../console/src/activity/feed.ts";
import { readActivitySearch } from "../../console/src/activity/search.ts";
import { emptyDraft, isUnsure, parseDraft, sealDraft } from "../../console/src/inbox/new-draft.ts";
import { joinSessions } from "../../console/src/session/groups.ts";
import type { Session } from "../../console/src/session/queries.ts";
import { describeReason, markSession } from "../../console/src/session/reasons.ts";
import { canDrop, columns, countLoss, describeLoss, listMoves } from "../../console/src/sessions/moves.ts";
import {
  countColumn,
  readSessionsSearch,
  rowsPerPage,
  toColumnList,
  toSessionFilter,
} from "../../console/src/sessions/search.ts";
import { onlyKnown } from "../../console/src/shell/known-search.ts";
import { findNextRegion, matchWords, readStroke } from "../../console/src/shell/shortcuts.ts";
import { findWorstLine, formatTitle, type KnownLines } from "../../console/src/shell/words.ts";

const session = (fields: Partial<Session>) =>
  ({
    id: "s",
    status: "active",
    needsYouReason: null,
    latestChatJob: null,
    targetBranch: "main",
    prNumber: null,
    queue: { count: 0, paused: null },
    updatedAt: "1",
    ...fields,
  }) as Session;

test.each<[Partial<Session>, string, string | null]>([
  [{}, "idle", null],
  [{ status: "backlog" }, "backlog", null],
  [{ latestChatJob: { id: "j", jobNumber: 1, status: "running" } }, "running", null],
  [{ needsYouReason: "awaiting_response" }, "asks", "The agent asks you something"],
  [{ needsYouReason: "job_failed" }, "failed", "The last turn failed"],
  [{ needsYouReason: "checks_failed" }, "checks", "Checks failed"],
  [{ needsYouReason: "checks_failed", prNumber: 7 }, "checks", "Checks of #7 failed"],
  [{ needsYouReason: "queue_paused" }, "paused", "Up next is stopped"],
  [
    { needsYouReason: "queue_paused", queue: { count: 1, paused: null } },
    "paused",
    "Up next is stopped, 1 message waits",
  ],
  [
    { needsYouReason: "queue_paused", queue: { count: 2, paused: null } },
    "paused",
    "Up next is stopped, 2 messages wait",
  ],
  [{ needsYouReason: "behind" }, "behind", "Behind main"],
  // A reason that is newer than this console.
  [{ needsYouReason: "other" as "behind" }, "asks", "Needs a look"],
])("%j is marked %s: %s", (fields, mark, words) => {
  expect(markSession(session(fields))).toBe(mark);
  expect(describeReason(session(fields))).toBe(words);
});

test("a session of several lists is there once, as it was read last", () => {
  const lists = [
    [session({ id: "a", updatedAt: "1" })],
    [session({ id: "b", updatedAt: "2" }), session({ id: "a", updatedAt: "3" })],
  ];
  expect(joinSessions(lists).map(({ id, updatedAt }) => id + updatedAt)).toEqual(["a3", "b2"]);
});

test.each([
  ["Inbox", 2, "(2) Inbox · Switchyard"],
  ["Inbox", 0, "Inbox · Switchyard"],
  [null, 1, "(1) Switchyard"],
])("the title of %s with %i waiting", (page, waiting, title) => expect(formatTitle(page, waiting)).toBe(title));

test("the same words go under the same key, others under a new one", () => {
  let drawn = 0;
  const draw = () => `key-${++drawn}`;
  const first = sealDraft({ ...emptyDraft, text: "Sort it", projectId: "p" }, draw);
  expect(first.sent.key).toBe("key-1");
  expect(isUnsure(first)).toBe(true);
  expect(sealDraft(parseDraft(JSON.stringify(first)), draw).sent.key).toBe("key-1");
  expect(sealDraft({ ...first, text: "Sort it " }, draw).sent.key).toBe("key-1");
  const edited = { ...first, text: "Sort it twice" };
  expect(isUnsure(edited)).toBe(false);
  expect(sealDraft(edited, draw).sent.key).toBe("key-2");
  expect(sealDraft({ ...first, targetBranch: "release" }, draw).sent.key).toBe("key-3");
  const file = { name: "board.png", size: 3, lastModified: 1 };
  const withFile = sealDraft(first, draw, [file]);
  expect(withFile.sent.key).toBe("key-4");
  expect([isUnsure(withFile, [file]), isUnsure(withFile)]).toEqual([true, false]);
});

test.each([null, "", "[]", "null", "{", '{"text":3,"sent":{"key":1}}'])("a kept draft of %j is empty", (kept) => {
  expect(parseDraft(kept)).toEqual(emptyDraft);
});

test.each<[Record<string, unknown>, object]>([
  [{}, {}],
  [
    { q: "map", status: "backlog", project: "p", assignee: "me", page: 2 },
    { q: "map", status: "backlog", project: "p", assignee: "me", page: 2 },
  ],
  [
    { q: 12, page: "3", sort: "priority" },
    { q: "12", page: 3, sort: "priority" },
  ],
  [{ q: "", status: "odd", project: ["p"], page: 1, sort: "updated" }, {}],
  [
    { view: "board", status: "active" },
    { view: "board", status: "active" },
  ],
  [{ view: "odd", page: -1 }, {}],
  [{ page: 1.5 }, {}],
  [{ page: 1e30, assignee: "somebody" }, {}],
  [{ assignee: "usr_owner" }, { assignee: "usr_owner" }],
])("the address %j means %j", (raw, search) => expect(readSessionsSearch(raw)).toEqual(search));

test("a column of the board leads to the list of all its sessions, with the filters of the board", () => {
  const board = { q: "fix", project: "p", assignee: "me", view: "board", status: "any", page: 2 } as const;
  expect(toColumnList(board, "active")).toEqual({
    ...{ q: "fix", project: "p", assignee: "me" },
    ...{ status: "active", sort: "priority" },
  });
});

test.each([
  ["no session", 0, 0, { count: "0", isFull: false }],
  ["some", 3, 0, { count: "3", isFull: false }],
  ["as many as are read", rowsPerPage, 0, { count: "50+", isFull: true }],
  ["one that was just moved away", rowsPerPage - 1, 1, { count: "49+", isFull: true }],
])("the number of a column: %s", (_, active, moved, expected) => {
  const read = [
    ...Array.from({ length: active }, () => ({ status: "active" as const })),
    ...Array.from({ length: moved }, () => ({ status: "under-review" as const })),
  ];
  expect(countColumn(read, "active")).toEqual(expected);
});

test("what a route does not know of an address is left out of what the router merges", () => {
  const raw = { page: -4, status: "backlog", other: "x" };
  expect({ ...raw, ...onlyKnown(readSessionsSearch)(raw) }).toEqual({ status: "backlog" });
});

test("filters as the service takes them", () => {
  expect(toSessionFilter({})).toEqual({ sort: "updated", pageSize: 50, status: ["backlog", "active", "under-review"] });
  expect(
    toSessionFilter({ status: "any", q: " map ", page: 2, project: "p", assignee: "none", sort: "created" }),
  ).toEqual({
    sort: "created",
    pageSize: 50,
    search: "map",
    page: 2,
    project: ["p"],
    assignee: "none",
  });
});

test("the feed's filters", () => {
  expect(readActivitySearch({ kind: "change", workspace: "w", project: 3 })).toEqual({
    kind: "change",
    workspace: "w",
  });
  expect(readActivitySearch({ kind: "all", workspace: "" })).toEqual({});
});

test("the moves of a person", () => {
  expect(listMoves("backlog")).toEqual(["archived"]);
  expect(columns.map((from) => columns.filter((to) => canDrop(from, to)))).toEqual([
    ["active"],
    ["under-review"],
    ["active"],
  ]);
  expect(listMoves("active")).toEqual(["under-review", "completed", "archived"]);
  expect(listMoves("under-review")).toEqual(["active", "completed", "archived"]);
  expect(listMoves("completed")).toEqual([]);
});

test.each<[unknown, string | null]>([
  [undefined, null],
  [{ sessions: [] }, null],
  [{ files: ["a.js"], commits: [] }, "1 file that is not committed"],
  [
    { files: ["a.js", "b.js"], commits: [{ sha: "1", message: "One\nmore" }] },
    "2 files that are not committed and 1 commit that is not pushed",
  ],
  [{ files: "odd", commits: null }, "work of the agent"],
])("what %j would lose", (details, words) => {
  const loss = describeLoss(details);
  expect(loss && countLoss(loss)).toBe(words);
});

test("commits are named by their first line", () => {
  expect(describeLoss({ files: [], commits: [{ sha: "1", message: "One\nmore" }, { sha: "2" }] })?.commits).toEqual([
    "One",
    "2",
  ]);
});

const event = (fields: Partial<ActivityEvent>) =>
  ({
    id: "e",
    category: "action",
    workspaceId: "w",
    projectId: "p",
    isNew: false,
    kind: "session_started",
    ...fields,
  }) as ActivityEvent;

test("a live event comes on top of the feeds that show it, once", () => {
  expect(isShown(event({}), {})).toBe(true);
  expect(isShown(event({}), { kind: "change" })).toBe(false);
  expect(isShown(event({}), { workspace: "other" })).toBe(false);
  expect(isShown(event({ projectId: null }), { project: "p" })).toBe(false);
  const feed = addEvent([event({ id: "a" })], event({ id: "b" }));
  expect(addEvent(feed, event({ id: "b" })).map(({ id }) => id)).toEqual(["b", "a"]);
});

test.each<[ActivityEvent["kind"], Record<string, unknown>, object | null]>([
  ["cron_run_failed", { cronId: "c", runId: "r" }, { cron: "c", run: "r" }],
  ["cron_updated", { cronId: "c", change: "paused" }, { cron: "c", run: null }],
  ["cron_deleted", { cronId: "c" }, null],
  ["session_started", {}, null],
])("the page of %s with %j is that of %j", (kind, payload, place) =>
  expect(findCron({ kind, payload })).toEqual(place),
);

test("the line comes below everything that is new", () => {
  const feed = (marks: string) => [...marks].map((mark, index) => event({ id: String(index), isNew: mark === "n" }));
  expect(findSeenLine(feed("nns"))).toBe("2");
  expect(findSeenLine(feed("nsns"))).toBe("3");
  expect(findSeenLine(feed("nn"))).toBe(null);
  expect(findSeenLine(feed("ss"))).toBe(null);
});

const plain = { isModified: false, isCommand: false, isShift: false, isInField: false, isInDialog: false };

test.each<[string, object, boolean, string | null]>([
  ["k", { isModified: true, isCommand: true, isInField: true }, false, "find"],
  ["K", { isModified: true, isCommand: true }, false, "find"],
  ["n", {}, false, "new"],
  ["n", { isInField: true }, false, null],
  ["n", { isModified: true }, false, null],
  ["?", {}, false, "help"],
  ["g", {}, false, null],
  ["i", {}, true, "inbox"],
  ["s", {}, true, "sessions"],
  ["c", {}, true, "crons"],
  ["c", {}, false, null],
  ["o", {}, true, "projects"],
  ["i", {}, false, null],
  ["n", {}, true, null],
  ["e", {}, false, "point"],
  ["e", { isInField: true }, false, null],
  ["v", {}, false, "viewed"],
  ["v", { isModified: true }, false, null],
  ["n", { isInDialog: true }, false, null],
  ["F6", {}, false, "region"],
  ["F6", { isShift: true, isInField: true }, false, "region-before"],
  ["F6", { isInDialog: true }, false, null],
  ["F6", { isModified: true }, false, null],
  ["toString", {}, false, null],
])("the key %s with %j, after g: %s, means %s", (key, state, isAfterG, command) => {
  expect(readStroke({ ...plain, key, ...state }, isAfterG).command).toBe(command);
});

test.each([
  ["n", {}, null],
  ["?", {}, null],
  ["g", {}, null],
  ["F6", {}, "region"],
  ["k", { isModified: true, isCommand: true }, "find"],
])("with single keys switched off, the key %s with %j means %s", (key, state, command) => {
  expect(readStroke({ ...plain, key, ...state }, false, false)).toEqual({ command, isG: false });
});

test.each<[at: number, step: 1 | -1, next: number]>([
  [-1, 1, 0],
  [-1, -1, 2],
  [0, 1, 1],
  [2, 1, 0],
  [0, -1, 2],
])("of three regions, %i is followed in the direction %i by %i", (at, step, next) => {
  expect(findNextRegion(3, at, step)).toBe(next);
});

test("g waits for one letter", () => {
  expect(readStroke({ ...plain, key: "g" }, false).isG).toBe(true);
  expect(readStroke({ ...plain, key: "g", isInField: true }, false).isG).toBe(false);
  expect(readStroke({ ...plain, key: "i" }, true).isG).toBe(false);
});

test.each([
  ["", true],
  ["new", true],
  ["se ne", true],
  ["ession", false],
])("%j finds New session: %s", (typed, fits) => expect(matchWords(typed, "New session")).toBe(fits));

const live = { state: "live", wasLive: true } as const;
const calm = { isOnline: true, isWaiting: false };

test.each<[what: string, lines: KnownLines, network: typeof calm, word: string | undefined, isCut: boolean]>([
  ["what is not known", {}, calm, undefined, false],
  ["live lists", { lists: live }, calm, "Live", false],
  ["a chat that is live, too", { lists: live, chat: live }, calm, "Live", false],
  ["a chat that is being opened", { lists: live, chat: { state: "connecting", wasLive: false } }, calm, "Live", false],
  [
    "a chat that could not be opened",
    { lists: live, chat: { state: "waiting", wasLive: false } },
    calm,
    "Connecting…",
    false,
  ],
  ["a chat that was lost", { lists: live, chat: { state: "connecting", wasLive: true } }, calm, "Reconnecting…", true],
  [
    "a chat that is refused",
    { lists: { state: "waiting", wasLive: true }, chat: { state: "refused", wasLive: true } },
    calm,
    "Not live",
    true,
  ],
  ["lists that were never live", { lists: { state: "connecting", wasLive: false } }, calm, "Connecting…", false],
  ["lists that were lost", { lists: { state: "waiting", wasLive: true }, chat: live }, calm, "Reconnecting…", true],
  ["a window that waits for others", { lists: live, chat: live }, { ...calm, isWaiting: true }, "Waiting…", false],
  ["no network", { lists: live, chat: live }, { ...calm, isOnline: false }, "Offline", true],
])("a page is as live as its worst line: %s", (_, lines, network, word, isCut) => {
  const worst = findWorstLine(lines, network);
  expect(worst?.word).toBe(word);
  expect(worst?.isCut ?? false).toBe(isCut);
});

test("the page explains which line is down", () => {
  const lost = { state: "waiting", wasLive: true } as const;
  expect(findWorstLine({ lists: live, chat: lost }, calm)?.explanation).toMatch(/^The connection of this conversation/);
  expect(findWorstLine({ lists: lost, chat: live }, calm)?.explanation).toMatch(/^The connection of the lists/);
});

test.each<[source: ActivityEvent["source"], words: string | null]>([
  [null, null],
  [{ kind: "lead" }, "by the Lead"],
  [{ kind: "mcp", client: "Claude Code" }, "by Claude Code over MCP"],
  [{ kind: "mcp", client: null }, "by an agent over MCP"],
  [{ kind: "session", sessionId: "s" }, "by a session's agent"],
  [{ kind: "moon" } as unknown as ActivityEvent["source"], null],
])("of the source %j, a person reads %s", (source, words) => {
  expect(describeSource({ source })).toBe(words);
});
