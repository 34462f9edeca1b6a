import { describe, expect, it } from "vitest";
import { type Actor, type Sender, service } from "../../../src/access/rules/actor.ts";
import { steer } from "../../../src/chat/rules/steer.ts";
import type { Decision } from "../../../src/rules/decision.ts";
import type { SessionEffect } from "../../../src/rules/effect.ts";
import { listActivityEvents } from "../../../src/session/rules/activity-events.ts";
import { fromChatDecision } from "../../../src/session/rules/chat-decision.ts";
import { deleteSession } from "../../../src/session/rules/delete.ts";
import {
  findEndByPullRequest,
  handleCodeHostEvent,
  recordBehind,
  recordVerdict,
} from "../../../src/session/rules/pull-request/code-host-event.ts";
import type { PullRequestReport } from "../../../src/session/rules/pull-request/state.ts";
import { send, sendQueued } from "../../../src/session/rules/send.ts";
import type { NewSession, Session, SessionState } from "../../../src/session/rules/session.ts";
import { activate, startSession } from "../../../src/session/rules/start.ts";
import { endTurn } from "../../../src/session/rules/turn-end.ts";
import { type SessionChanges, updateSession } from "../../../src/session/rules/update.ts";
import {
  accepted,
  byAuthor,
  byMember,
  cron,
  now,
  otherSession,
  relay,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

type Made = Decision<SessionState | null, unknown, SessionEffect>;
type Row = [row: string, before: SessionState | null, by: Actor, decide: (before: never) => Made, told: object[]];

const ada = byMember("usr_ada");
const bob = byMember("usr_bob");
const agentOfAda = byAuthor(otherSession, "usr_ada");
const lead: Sender = { ...ada, type: "lead" };
const bobAssigned = { kind: "member", userId: "usr_bob", name: "usr_bob", imageUrl: null } as const;
const adaAssigned = { ...bobAssigned, userId: "usr_ada", name: "usr_ada" };

const wish: NewSession = {
  ...{ id: "session-1", workspaceId: "ws_1", projectId: "project-1", title: "Fix the board", prompt: null },
  ...{ status: "active", priority: "none", model: null, targetBranch: "main", sandboxKey: "s0123456789abcdef" },
  ...{ conversationId: "conversation-1", assignee: adaAssigned },
};
const create = (by: Sender, changes: Partial<NewSession>, content: string | null = null) => {
  const first = content === null ? null : { command: sendCommand({ by }), facts: sendFacts() };
  return () => startSession({ ...wish, ...changes }, { by, first }, now);
};
const put = (changes: SessionChanges) => (state: SessionState) =>
  updateSession(state, changes, { ...sendFacts(), by: ada, pullRequest: null }, now);
const say = (by: Sender) => (state: SessionState) => send(state, sendCommand({ by }), sendFacts(), now);
const hear = (event: Parameters<typeof handleCodeHostEvent>[1]) => (state: SessionState) =>
  handleCodeHostEvent(state, event, now);
const end = (status: "completed" | "awaiting_response" | "cancelled") => (state: SessionState) =>
  endTurn(state, { turnId: "turn-1", end: { status }, nextTurnId: "turn-2" }, now);
const passed = (state: SessionState) => recordVerdict(state, { sha: "a", verdict: "passed", haveAllEnded: true });
const failed = (state: SessionState) => recordVerdict(state, { sha: "a", verdict: "failed", haveAllEnded: true });

const proposed = (report: Partial<PullRequestReport> = {}, changes: Partial<Session> = {}) =>
  sessionState({
    session: {
      prNumber: 7,
      prState: "open",
      prReport: { sha: "a", shaAt: 0, changedAt: 0, checks: {}, ...report },
      ...changes,
    },
  });
const backlog = (changes: Partial<Session> = {}) =>
  sessionState({ session: { status: "backlog", branch: null, startedAt: null, ...changes } });
const active = sessionState();
const running = sessionState({ turn: turn("running"), upNext: waiting("a") });
const merge = { type: "pull-request" as const, number: 7, url: "u", state: "merged" as const, base: null, sha: "a" };
const mergedBy = { hostUserId: "5", login: "ada" };

const by = (userId: string, source: object | null = null) => ({ doer: { userId, source } });
const activeAgain = {
  kind: "session_status_changed",
  payload: { from: "under-review", to: "active" },
  ...by("usr_ada"),
};
const today = "2026-01-15";
const createMessage = (userId: string) => ({
  kind: "session_message_sent",
  once: `session_message_sent ${userId} ${today}`,
  ...by(userId),
});
const started = (userId: string, source: object | null = null) => ({ kind: "session_started", ...by(userId, source) });
const ofSession = { kind: "session", sessionId: "session-2" };
const assigned = (assignee: object | null) => ({ kind: "session_assigned", payload: { assignee }, ...by("usr_ada") });
const toBob = { kind: "member", userId: "usr_bob", name: "usr_bob" };

const observed: Row[] = [
  ["a clarification", running, service, end("awaiting_response"), [{ kind: "job_awaiting_response", doer: null }]],
  ["a turn that ends well", running, service, end("completed"), []],
  ["a turn that was stopped", running, service, end("cancelled"), []],
  ["checks that failed", proposed(), service, failed, [{ kind: "pr_checks_failed", doer: null }]],
  ["checks that passed", proposed(), service, passed, [{ kind: "pr_checks_passed", doer: null }]],
  [
    "checks that passed after they failed",
    proposed({ verdict: "failed" }),
    service,
    passed,
    [{ kind: "pr_checks_passed" }],
  ],
  ["the same verdict again", proposed({ verdict: "passed" }), service, passed, []],
  ["a verdict on an older commit", proposed({ sha: "b" }), service, passed, []],
  ["a verdict on a pull request that is closed", proposed({}, { prState: "closed" }), service, failed, []],
  [
    "a merge",
    proposed(),
    service,
    hear({ ...merge, changedAt: 1, mergedBy }),
    [{ kind: "pr_merged", doer: null, payload: { sessionTitle: "Fix the board", pullRequestNumber: 7, mergedBy } }],
  ],
  [
    "a merge by somebody whom the code host does not name",
    proposed(),
    service,
    hear({ ...merge, changedAt: 1 }),
    [{ kind: "pr_merged", payload: { sessionTitle: "Fix the board", pullRequestNumber: 7, mergedBy: null } }],
  ],
  [
    "a merge that is reported again",
    proposed({}, { prState: "merged" }),
    service,
    hear({ ...merge, changedAt: 2 }),
    [],
  ],
  ["a close without a merge", proposed(), service, hear({ ...merge, state: "closed", changedAt: 1 }), []],
  [
    "a branch that falls behind",
    active,
    service,
    (state: SessionState) =>
      recordBehind(state, { targetBranch: "main", hostBehindBy: 2, targetCommit: null, sandboxBehindBy: null }, now),
    [{ kind: "branch_behind", doer: null }],
  ],
  [
    "a branch that is still behind",
    sessionState({ session: { isBehind: true } }),
    service,
    (state: SessionState) =>
      recordBehind(state, { targetBranch: "main", hostBehindBy: 3, targetCommit: null, sandboxBehindBy: null }, now),
    [],
  ],
];

const acted: Row[] = [
  ["a session created Active", null, ada, create(ada, {}), [started("usr_ada")]],
  ["a session created with a first message", null, ada, create(ada, {}, "Fix it."), [started("usr_ada")]],
  [
    "a session created Active for another member",
    null,
    ada,
    create(ada, { assignee: bobAssigned }),
    [started("usr_ada")],
  ],
  ["one that an agent creates for a member", null, agentOfAda, create(agentOfAda, {}), [started("usr_ada", ofSession)]],
  ["one that an agent creates for nobody", null, byAuthor(otherSession), create(byAuthor(otherSession), {}), []],
  ["one that a relay creates", null, byAuthor(relay), create(byAuthor(relay), {}), []],
  ["one filed for oneself", null, ada, create(ada, { status: "backlog" }), []],
  ["one filed for nobody", null, ada, create(ada, { status: "backlog", assignee: null }), []],
  ["one filed for the service", null, ada, create(ada, { status: "backlog", assignee: { kind: "service" } }), []],
  ["one filed for another", null, ada, create(ada, { status: "backlog", assignee: bobAssigned }), [assigned(toBob)]],
  [
    "an activation, its message and its Assignee",
    backlog({ prompt: "Do it.", assignee: null }),
    ada,
    (state: SessionState) => activate(state, sendCommand(), { ...sendFacts() }, now),
    [started("usr_ada")],
  ],
  ["a message that starts a turn", active, ada, say(ada), [createMessage("usr_ada")]],
  ["a message that waits", running, bob, say(bob), [createMessage("usr_bob")]],
  [
    "a message of the Lead",
    active,
    lead,
    say(lead),
    [{ ...createMessage("usr_ada"), ...by("usr_ada", { kind: "lead" }) }],
  ],
  ["a message of an agent for nobody", active, byAuthor(otherSession), say(byAuthor(otherSession)), []],
  ["a message of a run whose creator left", active, byAuthor(cron), say(byAuthor(cron)), []],
  [
    "a message of a cron run for its creator",
    active,
    byAuthor(cron, "usr_ada"),
    say(byAuthor(cron, "usr_ada")),
    [{ kind: "session_message_sent", ...by("usr_ada", cron) }],
  ],
  [
    "a message that takes an unassigned session",
    sessionState({ session: { assignee: null } }),
    ada,
    say(ada),
    [createMessage("usr_ada")],
  ],
  [
    "a message that makes a session Active again",
    proposed({}, { status: "under-review" }),
    ada,
    say(ada),
    [activeAgain, createMessage("usr_ada")],
  ],
  [
    "a waiting message that is sent now",
    sessionState({ turn: turn("completed"), upNext: waiting("a") }),
    ada,
    (state: SessionState) =>
      sendQueued(state, { messageId: "a", turnId: "turn-2", by: ada }, { ...sendFacts(), hasLeft: false }, now),
    [],
  ],
  [
    "a waiting message that is steered",
    running,
    ada,
    (state: SessionState) =>
      fromChatDecision(state, steer(state.chat, { messageId: "a", steerId: "s", by: ada }, { hasLeft: false }), now),
    [],
  ],
  ["the next message, which goes by itself", running, service, end("completed"), []],
  ["an Assignee", active, ada, put({ assignee: bobAssigned }), [assigned(toBob)]],
  ["an Assignee cleared", active, ada, put({ assignee: null }), [assigned(null)]],
  ["the same Assignee", active, ada, put({ assignee: adaAssigned }), []],
  [
    "a status and a priority",
    active,
    ada,
    put({ status: "under-review", priority: "high" }),
    [
      { kind: "session_status_changed", payload: { from: "active", to: "under-review" }, ...by("usr_ada") },
      { kind: "session_priority_changed", payload: { from: "none", to: "high" }, ...by("usr_ada") },
    ],
  ],
  ["an archive", active, ada, put({ status: "archived" }), [{ kind: "session_archived", ...by("usr_ada") }]],
  ["an archive out of the Backlog", backlog(), ada, put({ status: "archived" }), [{ kind: "session_archived" }]],
  ["an end that follows a merge", proposed({}, { prState: "merged" }), service, put({ status: "completed" }), []],
  [
    "a title, a prompt or a model",
    active,
    ada,
    put({ title: "Other", prompt: "Do.", model: "anthropic:opus__low" }),
    [],
  ],
  ["a change to what already is so", active, ada, put({ status: "active", priority: "none" }), []],
  [
    "a deletion",
    active,
    ada,
    (state: SessionState) => deleteSession(state, now),
    [{ kind: "session_deleted", ...by("usr_ada") }],
  ],
  ["a deletion with its project", active, service, (state: SessionState) => deleteSession(state, now), []],
];

describe.each([
  ["the service observes", observed],
  ["somebody does", acted],
])("what %s", (_, rows) => {
  it.each(rows)("%s", (__, before, actor, decide, told) => {
    const { state } = accepted((decide as (before: SessionState | null) => Made)(before));
    const about = { workspaceId: "ws_1", projectId: "project-1", sessionId: "session-1", subject: expect.any(String) };
    expect(listActivityEvents(before, state, actor, now)).toMatchObject(told.map((event) => ({ ...about, ...event })));
  });
});

it("an ended session no longer follows a branch", () => {
  const state = sessionState({ session: { status: "archived" } });
  expect(findEndByPullRequest(state)).toBeNull();
  expect(
    listActivityEvents(state, sessionState({ session: { status: "archived", isBehind: true } }), service, now),
  ).toEqual([]);
});
