import { describe, expect, it } from "vitest";
import { isRefusal, type RefusalCode } from "../../src/rules/refusal.ts";
import { type SessionStatus, sessionStatuses } from "../../src/rules/session.ts";
import { deleteSession, type SessionChanges, updateSession } from "../../src/rules/session-update.ts";
import type { TurnStatus } from "../../src/rules/turn.ts";
import { accepted, now, refusalCode, sendFacts, sessionState, turn, waiting } from "../support/session-state.ts";

const facts = { ...sendFacts(), pullRequest: null };
const update = (state: ReturnType<typeof sessionState>, changes: SessionChanges) =>
  updateSession(state, changes, facts, now);

// biome-ignore format: a table is read by its columns.
const moves: Record<SessionStatus, Record<SessionStatus, boolean>> = {
  // to                backlog         active         under-review          completed         archived
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

  it.each(sessionStatuses)("to the present status, %s, changes nothing", (status) => {
    const state = sessionState({ session: { status } });
    const { state: after, effects } = accepted(update(state, { status }));
    expect([after, effects]).toEqual([state, []]);
  });

  it("to Under Review pauses Up next for that reason, also while a turn runs", () => {
    const { state } = accepted(update(sessionState({ turn: turn("running") }), { status: "under-review" }));
    expect([state.pause, state.turn?.status]).toEqual([{ reason: "under_review", pausedAt: now }, "running"]);
  });

  it("to Under Review keeps the reason that Up next is paused for already", () => {
    const pause = { reason: "failed", pausedAt: now - 1 } as const;
    const { state } = accepted(update(sessionState({ turn: turn("failed"), pause }), { status: "under-review" }));
    expect(state.pause).toEqual(pause);
  });

  it("back to Active leaves Up next paused until somebody resumes it", () => {
    const pause = { reason: "under_review", pausedAt: now - 1 } as const;
    const state = sessionState({ session: { status: "under-review" }, upNext: waiting("a"), pause });
    expect(accepted(update(state, { status: "active" })).state).toMatchObject({ pause, upNext: [{ id: "a" }] });
  });

  it.each(["completed", "archived"] as const)(
    "to %s ends the session, keeps what waits, and lets its sandbox go",
    (status) => {
      const { state, effects } = accepted(update(sessionState({ upNext: waiting("a") }), { status }));
      expect(state.session).toMatchObject({ status, endedAt: now, updatedAt: now });
      expect(state.upNext).toHaveLength(1);
      expect(effects).toEqual([{ do: "retire-sandbox" }, { do: "project-session" }]);
    },
  );

  it("of a session that was never started to its end has no sandbox to let go", () => {
    const state = sessionState({ session: { status: "backlog", startedAt: null } });
    expect(accepted(update(state, { status: "archived" })).effects).toEqual([{ do: "project-session" }]);
  });

  it.each<[TurnStatus]>([["pending"], ["running"]])(
    "to an end has to wait for a turn that is %s to be stopped",
    (status) => {
      const state = sessionState({ turn: turn(status) });
      expect(refusalCode(update(state, { status: "archived" }))).toBe("SESSION_UPDATING");
      expect(refusalCode(deleteSession(state))).toBe("SESSION_UPDATING");
    },
  );
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

  it.each<[string, RefusalCode]>([
    ["anthropic:nonesuch__high", "VALIDATION_ERROR"],
    ["openai:gpt__high", "BAD_REQUEST"],
  ])("%s cannot be chosen: %s", (model, code) => {
    expect(refusalCode(update(sessionState(), { model }))).toBe(code);
  });

  it("that the session has already may be sent along, whatever its status", () => {
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
    [{ targetBranch: "develop" }],
    [{ assignee: null }],
    [{ assignee: { kind: "member", userId: "usr_bob", name: "Bob", imageUrl: null } }],
  ])("%o changes, and lists show it", (changes) => {
    const { state, effects } = accepted(update(sessionState({ session: { prompt: "Before." } }), changes));
    expect(state.session).toMatchObject({ ...changes, updatedAt: now });
    expect(effects).toEqual([{ do: "project-session" }]);
  });
});

it("a deletion leaves nothing of the session, and takes its sandbox and all that lists it with it", () => {
  const { state, effects } = accepted(deleteSession(sessionState({ turn: turn("completed"), upNext: waiting("a") })));
  expect(state).toBeNull();
  expect(effects).toContainEqual({ do: "destroy-sandbox", sandboxKey: "s0123456789abcdef" });
  expect(effects).toContainEqual({ do: "forget-session", sessionId: "session-1" });
});
