import { describe, expect, it } from "vitest";
import type { Actor } from "../../../src/access/rules/actor.ts";
import type { TurnStatus } from "../../../src/chat/rules/turn.ts";
import { isRefusal, type RefusalCode } from "../../../src/rules/refusal.ts";
import { deleteSession } from "../../../src/session/rules/delete.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { type SessionStatus, sessionStatuses } from "../../../src/session/rules/status.ts";
import { type SessionChanges, updateSession } from "../../../src/session/rules/update.ts";
import {
  accepted,
  byAuthor,
  byMember,
  now,
  otherSession,
  refusalCode,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const facts = { ...sendFacts(), by: byMember(), pullRequest: null };
const update = (state: ReturnType<typeof sessionState>, changes: SessionChanges) =>
  updateSession(state, changes, facts, now);

// biome-ignore format: a table is read by its columns.
const moves: Record<SessionStatus, Record<SessionStatus, boolean>> = {
  // to                backlog         active         under-review          completed
  // archived
  backlog:        { backlog: true,  active: false, "under-review": false, completed: false, archived: true },
  active:         { backlog: false, active: true,  "under-review": true,  completed: true,  archived: true },
  "under-review": { backlog: false, active: true,  "under-review": true,  completed: true,  archived: true },
  completed:      { backlog: false, active: false, "under-review": false, completed: true,  archived: false },
  archived:       { backlog: false, active: false, "under-review": false, completed: false, archived: true },
};

describe("a move", () => {
  const rows = sessionStatuses.flatMap((from) => sessionStatuses.map((to) => [from, to, moves[from][to]] as const));

  it.each(rows)("from %s to %s: %s", (from, to, isAllowed) => {
    const decision = update(sessionState({ session: { status: from } }), { status: to });
    expect(refusalCode(decision)).toBe(isAllowed ? null : "BAD_REQUEST");
    if (!isRefusal(decision)) expect(decision.state.session.status).toBe(to);
  });

  it.each<[SessionStatus, SessionStatus, RegExp]>([
    ["completed", "active", /has ended/],
    ["archived", "under-review", /has ended/],
    ["backlog", "active", /Activate it first/],
    ["active", "backlog", /from active to backlog/],
  ])("from %s to %s is refused with the reason", (from, to, reason) => {
    const refused = update(sessionState({ session: { status: from } }), { status: to });
    expect(refused).toMatchObject({ message: expect.stringMatching(reason) });
  });

  it.each(sessionStatuses)("to the current status, %s, changes nothing", (status) => {
    const state = sessionState({ session: { status } });
    const { state: after, effects } = accepted(update(state, { status }));
    expect([after, effects]).toEqual([state, []]);
  });

  it("to Under Review pauses the queue for that reason, even while a turn runs", () => {
    const { state } = accepted(update(sessionState({ turn: turn("running") }), { status: "under-review" }));
    expect([state.chat.pause, state.chat.turn?.status]).toEqual([{ reason: "under_review", pausedAt: now }, "running"]);
  });

  it("to Under Review keeps an earlier reason of the pause", () => {
    const pause = { reason: "failed", pausedAt: now - 1 } as const;
    const { state } = accepted(update(sessionState({ turn: turn("failed"), pause }), { status: "under-review" }));
    expect(state.chat.pause).toEqual(pause);
  });

  it("back to Active keeps the queue paused until it is resumed", () => {
    const pause = { reason: "under_review", pausedAt: now - 1 } as const;
    const state = sessionState({ session: { status: "under-review" }, upNext: waiting("a"), pause });
    expect(accepted(update(state, { status: "active" })).state).toMatchObject({
      chat: { pause, upNext: [{ id: "a" }] },
    });
  });

  it.each(["completed", "archived"] as const)(
    "to %s ends the session, keeps the queued messages, and releases its sandbox",
    (status) => {
      const { state, effects } = accepted(update(sessionState({ upNext: waiting("a") }), { status }));
      expect(state.session).toMatchObject({ status, endedAt: now, updatedAt: now });
      expect(state.chat.upNext).toHaveLength(1);
      expect(effects).toEqual([{ type: "stop-sandbox" }, { type: "index-session" }]);
    },
  );

  it("of a session without a start to its end has no sandbox to release", () => {
    const state = sessionState({ session: { status: "backlog", startedAt: null } });
    expect(accepted(update(state, { status: "archived" })).effects).toEqual([{ type: "index-session" }]);
  });

  it("to Under Review and back does not change the queued messages and the turn", () => {
    const before = sessionState({ turn: turn("running"), upNext: waiting("a", "b") });
    const reviewed = accepted(update(before, { status: "under-review" })).state;
    const back = accepted(update(reviewed, { status: "active" })).state;
    for (const {
      chat: { turn: present, upNext },
    } of [reviewed, back])
      expect([present, upNext]).toEqual([before.chat.turn, before.chat.upNext]);
    expect(back.session).toEqual({ ...before.session, updatedAt: now });
  });

  it.each([
    ["active", "under-review", "draft", "open"],
    ["under-review", "active", "open", "draft"],
  ] as const)("from %s to %s keeps its change of the pull request, which was %s: %s", (from, to, found, made) => {
    const state = sessionState({ session: { status: from, prNumber: 7, prState: found } });
    const { session } = accepted(updateSession(state, { status: to }, { ...facts, pullRequest: made }, now)).state;
    expect(session).toMatchObject({ status: to, prState: made });
    expect(accepted(update(state, { status: to })).state.session.prState).toBe(found);
  });

  it("to an end does not change the pull request", () => {
    const state = sessionState({ session: { prNumber: 7, prState: "draft" } });
    expect(accepted(update(state, { status: "completed" })).state.session.prState).toBe("draft");
  });

  it.each([
    ["completed", false],
    ["archived", false],
    ["under-review", true],
  ] as const)("to %s keeps a session behind its Target Branch: %s", (status, isBehind) => {
    const behind = sessionState({ session: { isBehind: true } });
    expect(accepted(update(behind, { status })).state.session.isBehind).toBe(isBehind);
  });

  it.each<[TurnStatus]>([["pending"], ["running"]])(
    "to an end has to wait for a turn that is %s to be stopped",
    (status) => {
      const state = sessionState({ turn: turn(status) });
      expect(refusalCode(update(state, { status: "archived" }))).toBe("SESSION_UPDATING");
      expect(refusalCode(deleteSession(state, now))).toBe("SESSION_UPDATING");
    },
  );
});

describe("the Target Branch", () => {
  it.each<[SessionStatus, string, string[]]>([
    ["active", "release", ["compare-branch", "index-session"]],
    ["under-review", "release", ["compare-branch", "index-session"]],
    ["active", "main", []],
    ["backlog", "release", ["index-session"]],
    ["archived", "release", ["index-session"]],
  ])("of a session that is %s, changed to %s, asks for %j", (status, targetBranch, effects) => {
    const changed = accepted(update(sessionState({ session: { status } }), { targetBranch }));
    expect(changed.effects.map(({ type }) => type)).toEqual(effects);
  });
});

describe("the model", () => {
  const rows: [SessionStatus, TurnStatus | null, RefusalCode | null][] = [
    ["backlog", null, null],
    ["active", null, null],
    ["active", "completed", null],
    ["active", "awaiting_response", null],
    ["active", "pending", "JOB_ACTIVE"],
    ["active", "running", "JOB_ACTIVE"],
    ["under-review", null, "BAD_REQUEST"],
    ["completed", null, "BAD_REQUEST"],
    ["archived", null, "BAD_REQUEST"],
  ];

  it.each(rows)("of a session that is %s, whose turn is %s: %s", (status, turnStatus, code) => {
    const state = sessionState({ session: { status }, turn: turnStatus && turn(turnStatus) });
    expect(refusalCode(update(state, { model: "anthropic:sonnet__high" }))).toBe(code);
  });

  it.each(rows)("that is unknown is reported to a session that is %s, whose turn is %s", (status, turnStatus) => {
    const state = sessionState({ session: { status }, turn: turnStatus && turn(turnStatus) });
    for (const more of [{}, { status: "backlog" as const }])
      expect(refusalCode(update(state, { model: "anthropic:nonesuch__high", ...more }))).toBe("VALIDATION_ERROR");
  });

  it.each<[string, RefusalCode]>([
    ["anthropic:nonesuch__high", "VALIDATION_ERROR"],
    ["openai:gpt__high", "BAD_REQUEST"],
  ])("%s cannot be chosen: %s", (model, code) => {
    expect(refusalCode(update(sessionState(), { model }))).toBe(code);
  });

  it.each<[SessionStatus, SessionStatus, RefusalCode | null]>([
    ["under-review", "active", null],
    ["active", "under-review", "BAD_REQUEST"],
    ["active", "archived", "BAD_REQUEST"],
    ["backlog", "archived", "BAD_REQUEST"],
  ])("changes with a move from %s to %s if the session then may: %s", (from, to, code) => {
    const state = sessionState({ session: { status: from } });
    const decision = update(state, { status: to, model: "anthropic:sonnet__high" });
    expect(refusalCode(decision)).toBe(code);
    if (code === null)
      expect(accepted(decision).state).toMatchObject({
        session: { status: to },
        chat: { model: "anthropic:sonnet__high" },
      });
  });

  it("that the Assignee cannot run is refused with what to do", () => {
    const refused = update(sessionState({ session: { status: "backlog" } }), { model: "openai:gpt__high" });
    expect(refused).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(/Connect openai/) });
  });

  it("changes for the next turn, and the last turn keeps its own", () => {
    const state = sessionState({ turn: turn("completed") });
    const after = accepted(update(state, { model: "anthropic:sonnet__high" })).state;
    expect([after.chat.model, after.chat.turn]).toEqual(["anthropic:sonnet__high", state.chat.turn]);
  });

  it("that the session already has may be sent, whatever its status", () => {
    const state = sessionState({ session: { status: "under-review" } });
    expect(accepted(update(state, { model: "anthropic:opus__high", title: "New" })).state.session.title).toBe("New");
  });
});

describe("a field", () => {
  it.each<[SessionChanges]>([
    [{ title: "Other" }],
    [{ prompt: "Do it." }],
    [{ prompt: null }],
    [{ priority: "urgent" }],
    [{ assignee: null }],
    [{ assignee: { kind: "member", userId: "usr_bob", name: "Bob", imageUrl: null } }],
  ])("%o changes, and lists show it", (changes) => {
    const { state, effects } = accepted(update(sessionState({ session: { prompt: "Before." } }), changes));
    expect(state.session).toMatchObject({ ...changes, updatedAt: now });
    expect(effects).toEqual([{ type: "index-session" }]);
  });
});

it("the Assignee and the other fields change while a turn runs", () => {
  const changes: SessionChanges = { assignee: null, title: "Other", priority: "high", targetBranch: "develop" };
  const { session } = accepted(update(sessionState({ turn: turn("running") }), changes)).state;
  expect(session).toMatchObject(changes);
});

it.each(["completed", "archived"] as const)("a session that was %s ends once, whatever changes later", (status) => {
  const state = sessionState({ session: { status, endedAt: now - 9 } });
  const { state: after, effects } = accepted(update(state, { title: "Other" }));
  expect([after.session.endedAt, effects]).toEqual([now - 9, [{ type: "index-session" }]]);
});

it("a deletion leaves nothing of the session, and deletes its sandbox and its rows in lists", () => {
  const { state, effects } = accepted(
    deleteSession(sessionState({ turn: turn("completed"), upNext: waiting("a") }), now),
  );
  expect(state).toBeNull();
  expect(effects).toEqual([
    { type: "destroy-sandbox", id: "s0123456789abcdef" },
    { type: "forget-session", sessionId: "session-1", workspaceId: "ws_1", projectId: "project-1" },
    { type: "forget-all" },
    { type: "remind", name: "forget-answers", at: now + 24 * 60 * 60_000 },
  ]);
});

it("keeps the writer of the prompt, whatever else they change", () => {
  const facts = (by: Actor) => ({ ...sendFacts(), by, pullRequest: null });
  const change = (state: SessionState, by: Actor, changes: SessionChanges) =>
    accepted(updateSession(state, changes, facts(by), now)).state;
  const agent = byAuthor(otherSession, "usr_ada");
  const rewritten = change(sessionState({ session: { status: "backlog" } }), agent, { prompt: "/svc:ship" });
  expect(rewritten.session.promptWriter).toBe("agent-for-member");
  const again = change(rewritten, byMember(), { prompt: "/svc:ship", priority: "high" });
  expect(again.session.promptWriter).toBe("agent-for-member");
  expect(change(again, byMember(), { prompt: "Mine." }).session.promptWriter).toBe("person");
});
