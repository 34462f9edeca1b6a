// The restore of a session: when it is refused, what the session is afterwards, and what the
// operator reads.
import { expect, it, test } from "vitest";
import type { SessionEffect } from "../../../src/rules/effect.ts";
import {
  applyRestore,
  checkIdleForRestore,
  checkRestore,
  formatRestore,
  formatRestored,
  type RestorableSession,
} from "../../../src/session/rules/restore.ts";
import { accepted, now, sessionState, turn, waiting } from "../../support/session-state.ts";

const hour = 3_600_000;
const day = 24 * hour;
const at = now - 2 * hour;
const existing: RestorableSession = {
  ...{ id: "session-1", title: "A test", createdAt: now - 90 * day, deletedAt: null, isRunning: false },
  ...{ project: "Web", workspace: "trains" },
};
const deleted = { ...existing, deletedAt: now - hour };

it.each<[string, RestorableSession | null, number, string | null, RegExp?]>([
  ["an existing session", existing, at, null],
  ["a deleted session", deleted, at, null],
  ["a session whose creation is not known", { ...deleted, createdAt: Number.NaN }, at, null],
  ["the first moment that is kept", existing, now - 30 * day, null],
  ["the moment of its creation", { ...existing, createdAt: at }, at, null],
  ["the present", existing, now, null],
  ["an unknown session", null, at, "NOT_FOUND", /No session session-1.*project or workspace/],
  ["a deleted project", { ...deleted, project: null }, at, "NOT_FOUND", /project of the session is deleted/],
  ["a deleted workspace", { ...deleted, workspace: null, project: null }, at, "NOT_FOUND", /workspace of the session/],
  ["the future", existing, now + 1, "BAD_REQUEST", /in the future/],
  ["a time that is not kept", existing, now - 30 * day - 1, "BAD_REQUEST", /more than 30 days ago/],
  [
    "a time before the session",
    { ...existing, createdAt: at + 1 },
    at,
    "BAD_REQUEST",
    /was created at 2026-01-15T10:00/,
  ],
  ["the moment of its deletion", deleted, now - hour, "BAD_REQUEST", /was deleted at 2026-01-15T11:00/],
  ["a running turn", { ...existing, isRunning: true }, at, "JOB_ACTIVE", /Stop it, then/],
])("%s", (_, session, time, code, message = /^/) => {
  const refusal = checkRestore("session-1", session, time, now);
  expect(refusal?.code ?? null).toBe(code);
  expect(refusal?.message ?? "").toMatch(message);
});

const command = {
  id: "c",
  command: "/compact",
  instructions: null,
  status: "running",
  error: null,
  startedAt: 0,
} as const;
it.each([
  [null, null],
  [sessionState(), null],
  [sessionState({ turn: turn("completed") }), null],
  [sessionState({ turn: turn("pending") }), "JOB_ACTIVE"],
  [sessionState({ turn: turn("running") }), "JOB_ACTIVE"],
  [sessionState({ session: { command } }), "COMMAND_IN_FLIGHT"],
])("the object is set back only if it is idle: %#", (state, code) => {
  expect(checkIdleForRestore(state)?.code ?? null).toBe(code);
});

const restored = { askedAt: now - 1_000, sandboxKey: "s2", conversationId: "new" };
const apply = (state: ReturnType<typeof sessionState>) => accepted(applyRestore(state, restored, now));
const listed: SessionEffect[] = [
  { type: "index-session" },
  { type: "index-metadata" },
  { type: "index-history", id: 1 },
];

it.each(["pending", "running"] as const)("a turn that was %s has failed, and nothing is started or sent", (status) => {
  const old = turn(status, { createdAt: now - day });
  const { state, effects } = apply(sessionState({ turn: old, upNext: waiting("a", "b") }));
  expect(state.chat.turn).toMatchObject({ id: old.id, status: "failed", error: expect.stringMatching(/was restored/) });
  expect(state.chat.upNext.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(state.chat.pause).toEqual({ reason: "failed", pausedAt: now });
  const ended = [
    { type: "revoke-agent", id: old.id },
    { type: "index-turn", id: old.id },
  ];
  expect(effects).toEqual([{ type: "forget-all" }, ...ended, ...listed]);
});

test("a turn that was being stopped is cancelled, even if Up next was resumed since", () => {
  const old = turn("running", { createdAt: now - day, stopRequestedAt: now - day });
  const { state } = apply(sessionState({ turn: old, upNext: waiting("a") }));
  expect(state.chat).toMatchObject({ turn: { id: old.id, status: "cancelled" }, pause: { reason: "cancelled" } });
  expect(state.chat.upNext).toHaveLength(1);
});

test("a turn that was started after the restore continues", () => {
  const state = sessionState({ turn: turn("running", { createdAt: restored.askedAt }) });
  expect(apply(state)).toEqual({ state, result: null, effects: listed });
});

it.each([
  ["messages that wait are paused", waiting("a"), null, { reason: "cancelled", pausedAt: now }],
  [
    "a pause stays",
    waiting("a"),
    { reason: "awaiting_response", pausedAt: 1 },
    { reason: "awaiting_response", pausedAt: 1 },
  ],
  ["an empty Up next is not paused", [], null, null],
] as const)("%s", (_, upNext, pause, expected) => {
  const state = sessionState({ turn: turn("completed"), upNext: [...upNext] });
  expect(apply({ ...state, chat: { ...state.chat, pause } }).state.chat.pause).toEqual(expected);
});

test("the next agent gets the conversation as text, in the sandbox that the session has now", () => {
  const ended = turn("completed", { conversationId: "old" });
  const state = sessionState({ turn: ended });
  const after = apply({ ...state, chat: { ...state.chat, conversationId: "old" } }).state;
  expect([after.chat.conversationId, after.chat.turn?.conversationId]).toEqual(["new", "new"]);
  expect(after.session.sandboxKey).toBe("s2");
  // A conversation that was cleared has started no turn: its agent starts without the text.
  const cleared = apply({ ...state, chat: { ...state.chat, conversationId: "cleared" } }).state;
  expect([cleared.chat.conversationId, cleared.chat.turn?.conversationId]).toEqual(["cleared", "old"]);
});

test("no merge waits, a command has failed, and an open pull request is looked at", () => {
  const ship = { turnId: "turn-1", sha: "abc" };
  const { state, effects } = apply(sessionState({ session: { ship, command, prState: "open" } }));
  expect(state.session.ship).toEqual({ turnId: "turn-1", sha: null });
  expect(state.session.command).toMatchObject({ status: "failed", error: "The session was restored." });
  expect(effects).toContainEqual({ type: "remind", name: "pull-request-stale", at: now });
});

it.each([
  [
    "existing",
    existing,
    /stay as they are/,
    `npm run operator -- restore-session session-1 --at 2026-01-15T11:59:59.000Z`,
  ],
  ["deleted", deleted, /starts fresh/, "delete the session again"],
])("what an operator reads of one that is %s", (_, session, files, undo) => {
  const planned = formatRestore(session, at);
  expect(planned).toMatchObject({
    state: "not restored",
    to: "2026-01-15T10:00:00.000Z",
    next: "Add --yes to restore it.",
  });
  expect("loses" in planned).toBe(session.deletedAt === null);
  const done = formatRestored(session, { toTime: at, askedAt: restored.askedAt });
  expect(done).toMatchObject({ state: "restored", undo });
  for (const { files: said } of [planned, done]) expect(said).toMatch(files);
});
