// The effect of a member's message, steer or resume of the queue on a session Under Review, and of
// others'.
import { describe, expect, it } from "vitest";
import type { Sender } from "../../../src/access/rules/actor.ts";
import { steer } from "../../../src/chat/rules/steer.ts";
import type { Decision } from "../../../src/rules/decision.ts";
import type { SessionEffect } from "../../../src/rules/effect.ts";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import { listActivityEvents } from "../../../src/session/rules/activity-events.ts";
import { decideAfterReview } from "../../../src/session/rules/leave-under-review.ts";
import { resumeQueue, type SendFacts, send, sendQueued } from "../../../src/session/rules/send.ts";
import type { Session, SessionState } from "../../../src/session/rules/session.ts";
import {
  accepted,
  acquired,
  byAuthor,
  byMember,
  cron,
  now,
  otherSession,
  refusalCode,
  relay,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

type WorkFacts = Pick<SendFacts, "acquired">;

const hasLeft = false;

/** The ways to work in a session, by whether its turn runs. */
const works: [
  what: string,
  isRunning: boolean,
  (state: SessionState, by: Sender, facts: WorkFacts) => Decision<SessionState, unknown, SessionEffect>,
][] = [
  ["a message", false, (state, by, facts) => send(state, sendCommand({ by }), sendFacts(facts), now)],
  ["a message that waits", true, (state, by, facts) => send(state, sendCommand({ by }), sendFacts(facts), now)],
  [
    "a queued message that is sent now",
    false,
    (state, by, facts) =>
      sendQueued(state, { messageId: "a", turnId: "turn-9", by }, { ...sendFacts(facts), hasLeft }, now),
  ],
  ["a resume", false, (state, by, facts) => resumeQueue(state, { turnId: "turn-9", by }, sendFacts(facts), now)],
  [
    "a resume during a turn",
    true,
    (state, by, facts) => resumeQueue(state, { turnId: "turn-9", by }, sendFacts(facts), now),
  ],
  [
    "a steer",
    true,
    (state, by, facts) =>
      decideAfterReview(
        state,
        { by, rule: (chat) => steer(chat, { messageId: "a", steerId: "s", by }, { hasLeft }) },
        facts,
        now,
      ),
  ],
];

const inReview = (isRunning: boolean, session: Partial<Session> = {}) =>
  sessionState({
    turn: turn(isRunning ? "running" : "completed"),
    upNext: waiting("a"),
    pause: { reason: "under_review", pausedAt: now - 1 },
    session: { status: "under-review", prNumber: 7, prState: "open", ...session },
  });

describe.each(works)("%s in a session Under Review", (what, isRunning, work) => {
  it.each<[string, Sender]>([
    ["a member", byMember()],
    ["a member through the Lead", { ...byMember(), type: "lead" }],
    ["a member through an agent by MCP", { ...byMember(), type: "client-agent", client: null }],
  ])("of %s makes it Active, and its pull request a draft", (__, by) => {
    const { state, effects } = accepted(work(inReview(isRunning), by, acquired({ pullRequest: "draft" })));
    expect(state.session).toMatchObject({ status: "active", prState: "draft", updatedAt: now });
    expect(state.chat.pause).toBeNull();
    expect(effects).toContainEqual({ type: "index-session" });
  });

  it("of a member is recorded as a change of status, in addition to a new message, and never as an assignment", () => {
    const before = inReview(isRunning, { assignee: null });
    const { state } = accepted(work(before, byMember(), acquired({ pullRequest: "draft" })));
    const events = listActivityEvents(before, state, byMember(), now);
    const isNew = what.startsWith("a message");
    expect(events.map(({ kind }) => kind)).toEqual([
      "session_status_changed",
      ...(isNew ? ["session_message_sent"] : []),
    ]);
    expect(events[0]?.payload).toEqual({ from: "under-review", to: "active" });
  });

  it.each<[string, Sender]>([
    ["a cron", byAuthor(cron, "usr_ada")],
    ["an agent of another session", byAuthor(otherSession, "usr_ada")],
    ["a relay", byAuthor(relay)],
  ])("of %s is refused", (__, by) => {
    // The queued message is another user's, and a relay acts for nobody.
    const isOfAnother = by.type === "relay" && what === "a queued message that is sent now";
    const code = isOfAnother ? "FORBIDDEN" : "SESSION_UNDER_REVIEW";
    expect(refusalCode(work(inReview(isRunning), by, { acquired: null }))).toBe(code);
  });

  it.each(["active", "under-review"] as const)("of the session's own agent is refused, %s", (status) => {
    const state = inReview(isRunning, { status });
    const itself = byAuthor({ kind: "session", sessionId: state.session.id }, "usr_ada");
    const refused = work(state, itself, { acquired: null });
    expect(refused).toMatchObject({ code: "FORBIDDEN", message: expect.stringMatching(/own session/) });
  });

  it.each<[string, Partial<Session>, WorkFacts, RefusalCode | null]>([
    ["was not looked at yet", {}, { acquired: null }, null],
    ["was opened for review since it was looked at", {}, acquired({ pullRequest: null }), "SESSION_UPDATING"],
    ["is a draft already", { prState: "draft" }, acquired({ pullRequest: null }), null],
    ["was merged meanwhile", { prState: "merged" }, acquired({ pullRequest: "draft" }), null],
    ["is not there", { prNumber: null, prState: null }, acquired({ pullRequest: null }), null],
  ])("if its pull request %s", (__, session, facts, code) => {
    const decision = work(inReview(isRunning, session), byMember(), facts);
    expect(refusalCode(decision)).toBe(code);
    if (session.prState === "merged") expect(accepted(decision).state.session.prState).toBe("merged");
  });
});
