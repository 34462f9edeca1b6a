// Which cached lists a changed session enters, stays in or leaves, without a call.
import { expect, test } from "vitest";
import type { Session, SessionFilter } from "../../console/src/session/queries.ts";
import { judgeSession, mergeSession, placeSession } from "../../console/src/sessions/judge.ts";

const known = { userId: "me-1", findWorkspace: (id: string) => (id === "p1" ? "w1" : null) };
const member = (userId: string) => ({ kind: "member", userId, name: "Mo", imageUrl: null }) as const;
const session = (fields: Partial<Session> = {}) =>
  ({
    id: "s1",
    projectId: "p1",
    title: "Sort the board",
    prompt: null,
    isPromptCut: false,
    status: "active",
    priority: "none",
    needsYouReason: null,
    latestChatJob: { id: "j1", jobNumber: 1, status: "running" },
    assignee: member("me-1"),
    createdAt: "2026-01-01T10:00:00.000Z",
    updatedAt: "2026-01-01T10:00:00.000Z",
    ...fields,
  }) as Session;

test.each<[SessionFilter, Partial<Session>, string]>([
  [{}, {}, "in"],
  [{ status: ["active", "under-review"] }, {}, "in"],
  [{ status: ["backlog"] }, {}, "out"],
  [{ project: ["p1"] }, {}, "in"],
  [{ project: ["p2"] }, {}, "out"],
  [{ workspace: ["w1"] }, {}, "in"],
  [{ workspace: ["w2"] }, {}, "out"],
  [{ workspace: ["w1"] }, { projectId: "new" }, "unknown"],
  [{ job: ["pending", "running"] }, {}, "in"],
  [{ job: ["pending"] }, {}, "out"],
  [{ job: ["pending"] }, { latestChatJob: null }, "out"],
  [{ needsYou: true }, {}, "out"],
  [{ needsYou: true }, { needsYouReason: "awaiting_response" }, "in"],
  [{ needsYou: false }, {}, "in"],
  [{ assignee: "me" }, {}, "in"],
  [{ assignee: "me" }, { assignee: member("other") }, "out"],
  [{ assignee: "other" }, { assignee: member("other") }, "in"],
  [{ assignee: "none" }, { assignee: null }, "in"],
  [{ assignee: "service" }, { assignee: { kind: "service" } }, "in"],
  [{ assignee: "service" }, {}, "out"],
  [{ search: "BOARD" }, {}, "in"],
  [{ search: "map" }, { prompt: "Mend the map" }, "in"],
  [{ search: "map" }, {}, "out"],
  [{ search: "map" }, { prompt: "Long", isPromptCut: true }, "unknown"],
  [{ search: "map", status: ["backlog"] }, { prompt: "Long", isPromptCut: true }, "out"],
  [{ ref: "pr:12" }, {}, "unknown"],
  [{ metadata: ["ci:1"] }, {}, "unknown"],
])("%j with %j: %s", (filter, fields, verdict) => {
  expect(judgeSession(session(fields), filter, known)).toBe(verdict);
});

test("nobody is me before it is known who I am", () => {
  expect(judgeSession(session(), { assignee: "me" }, { ...known, userId: null })).toBe("unknown");
});

const at = (minute: number) => `2026-01-01T10:0${minute}:00.000Z`;
const list = [session({ id: "a", updatedAt: at(3) }), session({ id: "b", updatedAt: at(2) })];
const place = (changed: Partial<Session>, filter: SessionFilter) => {
  const { list: next, isStale } = placeSession(list, session(changed), filter, known);
  return [next.map(({ id }) => id).join(" "), isStale];
};
const byChange: SessionFilter = { sort: "updated", status: ["active"] };

test.each<[string, Partial<Session>, SessionFilter, string, boolean]>([
  ["a change moves it up", { id: "b", updatedAt: at(5) }, byChange, "b a", false],
  ["a new one comes in", { id: "c", updatedAt: at(5) }, byChange, "c a b", false],
  ["a full list keeps its size", { id: "c", updatedAt: at(5) }, { ...byChange, pageSize: 2 }, "c a", false],
  ["it leaves", { id: "a", updatedAt: at(5), status: "archived" }, byChange, "b", false],
  [
    "a full list has to be filled again",
    { id: "a", updatedAt: at(5), status: "archived" },
    { ...byChange, pageSize: 2 },
    "b",
    true,
  ],
  ["an older state is no news", { id: "a", updatedAt: at(1), status: "archived" }, byChange, "a b", false],
  ["what was never in stays out", { id: "c", status: "archived" }, byChange, "a b", false],
  ["later pages are read again", { id: "c", updatedAt: at(5) }, { ...byChange, page: 2 }, "a b", true],
  ["an unknown verdict is read again", { id: "c", updatedAt: at(5) }, { ref: "c" }, "a b", true],
  ["priority sorts first", { id: "c", priority: "urgent" }, { sort: "priority" }, "c a b", false],
])("%s", (_, changed, filter, ids, isStale) => {
  expect(place(changed, filter)).toEqual([ids, isStale]);
});

test("a record keeps the whole prompt when an event has it cut", () => {
  const before = session({ prompt: "Sort it. And more.", title: "Old" });
  const event = session({ prompt: "Sort it.", isPromptCut: true, title: "New" });
  expect(mergeSession(before, event)).toMatchObject({ prompt: "Sort it. And more.", isPromptCut: false, title: "New" });
  expect(mergeSession({ ...before, updatedAt: at(5) }, event).title).toBe("Old");
});
