import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { findChosenOptions } from "../../../../src/chat/rules/clarification.ts";
import { createTextMessage, noContext } from "../../../../src/chat/rules/message.ts";
import type { Turn } from "../../../../src/chat/rules/turn.ts";
import type { TurnEnd } from "../../../../src/chat/rules/turn-end.ts";
import { isRefusal } from "../../../../src/rules/refusal.ts";
import {
  findAnsweredPending,
  type OpenPrDraft,
  type OpenPrOutcome,
  recordOpenPrOutcome,
  startOpenPr,
} from "../../../../src/session/rules/pull-request/open.ts";
import {
  createQuestions,
  type PendingPullRequest,
  readOpenPrAnswer,
} from "../../../../src/session/rules/pull-request/open-question.ts";
import { recordOpenPrCall } from "../../../../src/session/rules/pull-request/open-task.ts";
import type { Session, SessionState } from "../../../../src/session/rules/session.ts";
import { endTurn } from "../../../../src/session/rules/turn-end.ts";
import { builtInSkills } from "../../../../src/skill/rules/built-in-skills.ts";
import { readBuiltInSkill } from "../../../../src/skill/rules/skill.ts";
import { now, otherSession, relay, said, sessionState, turn, waiting } from "../../../support/session-state.ts";

const draft: OpenPrDraft = { title: "T", body: "B", reviewers: null, base: null };
const opened: OpenPrOutcome = { type: "opened", number: 7, url: "https://host/7", base: "main" };
const unclear: OpenPrOutcome = {
  type: "unclear",
  clarity: {
    logins: ["ada"],
    unclear: [{ name: "grace", isShared: true, logins: ["grace-h", "grace-k"] }],
    moved: null,
  },
};

const running = (session: Partial<Session> = {}) => sessionState({ turn: turn("running"), session });

function started(state = running(), message = "/svc:open-pr", more: Partial<OpenPrDraft> = {}, turnId = "turn-1") {
  const started = startOpenPr(state, { turnId, message: said(message), draft: { ...draft, ...more } });
  if (isRefusal(started)) throw new Error(started.message);
  return { state: started.state, command: started.result };
}

/** The command of the second turn, whose message is the answer. */
const createStarted = (state: SessionState, message: string, more: Partial<OpenPrDraft>) =>
  started(state, message, more, "turn-2").command;

function noted(outcome: OpenPrOutcome, from = started()) {
  const decision = recordOpenPrOutcome(from.state, { turnId: "turn-1", command: from.command, outcome }, now);
  if (isRefusal(decision)) throw new Error(decision.message);
  return decision.state;
}

function ended(state = noted(opened), end: TurnEnd = { status: "completed" }) {
  const decision = endTurn(state, { turnId: "turn-1", end, nextTurnId: "turn-2" }, now);
  if (isRefusal(decision)) throw new Error(decision.message);
  return decision.state;
}

const withTurn = (state: SessionState, next: Turn): SessionState => ({ ...state, chat: { ...state.chat, turn: next } });

/** With a queued message. */
const withWaiting = (state: SessionState): SessionState => ({
  ...state,
  chat: { ...state.chat, upNext: waiting("a") },
});

describe("the tool", () => {
  const refused: [what: string, state: ReturnType<typeof running>, message: string][] = [
    ["in a turn that nobody called the skill in", running(), "Open the pull request, please."],
    ["in another character's words", running(), "$svc:open-pr"],
    ["once the pull request was merged", running({ prNumber: 7, prState: "merged" }), "/svc:open-pr"],
    [
      "in a turn that is being stopped",
      sessionState({ turn: turn("running", { stopRequestedAt: now }) }),
      "/svc:open-pr",
    ],
    ["in a turn that is over", sessionState({ turn: turn("completed") }), "/svc:open-pr"],
  ];

  it.each(refused)("opens nothing %s", (_, state, message) => {
    expect(isRefusal(startOpenPr(state, { turnId: "turn-1", message: said(message), draft }))).toBe(true);
  });

  const asked: [message: string, session: Partial<Session>, command: object][] = [
    ["/svc:open-pr", {}, { isDraft: false, number: null, reviewers: null, evidence: [] }],
    ["/svc:open-pr -d", {}, { isDraft: true, number: null }],
    ["/svc:open-pr -d", { prNumber: 7, prState: "draft" }, { isDraft: false, number: 7 }],
    ["/svc:open-pr -r ada", {}, { reviewers: { flags: "-r ada" } }],
    ["/svc:open-pr -e https://a.example", {}, { evidence: ["https://a.example"] }],
  ];

  it.each(asked)("reads %j from the user's message, with %j", (message, session, command) => {
    expect(started(running(session), message).command).toMatchObject(command);
  });

  it("ignores a reviewer or a branch from the agent unless the user was asked for them", () => {
    expect(started(running(), "/svc:open-pr", { reviewers: ["eve"], base: "other" }).command).toMatchObject({
      reviewers: null,
      base: null,
    });
  });

  it("called again in its turn, keeps its first result: its own draft stays a draft", () => {
    const first = started(running(), "/svc:open-pr -d");
    const again = started(noted(opened, first), "/svc:open-pr -d");
    expect(again.command).toMatchObject({ isDraft: true, number: 7 });
  });
});

describe("a turn that was to open a pull request", () => {
  it("moves the session to Under Review if it completes with a ready one, and the queue pauses", () => {
    const state = ended(withWaiting(noted(opened)));
    expect(state.session).toMatchObject({
      status: "under-review",
      prState: "open",
      prUrl: "https://host/7",
      prNumber: 7,
    });
    expect([state.chat.pause?.reason, state.chat.upNext.length, state.chat.turn?.status]).toEqual([
      "under_review",
      1,
      "completed",
    ]);
  });

  it("keeps the session Active with a draft, and the queue continues", () => {
    const state = ended(withWaiting(noted(opened, started(running(), "/svc:open-pr -d"))));
    expect(state.session).toMatchObject({ status: "active", prState: "draft" });
    expect(state.chat.turn?.id).toBe("turn-2");
  });

  const others: TurnEnd[] = [
    { status: "cancelled" },
    { status: "failed", error: "It broke.", errorCode: null },
    { status: "awaiting_response" },
  ];

  it.each(others)("keeps the session Active if it ends otherwise: %j", (end) => {
    expect(ended(noted(opened), end).session.status).toBe("active");
  });

  it("fails with the reason if it could not, unless it could later", () => {
    const refused = noted({ type: "refused", reason: "Nothing to merge." });
    expect(ended(refused).chat.turn).toMatchObject({ status: "failed", error: "Nothing to merge." });
    expect(ended(noted(opened, started(refused))).chat.turn).toMatchObject({ status: "completed" });
  });

  const calls: [message: string, status: string][] = [
    ["/svc:open-pr", "failed"],
    ["/svc:open-pr -d", "failed"],
    ["Open the pull request, please.", "completed"],
    ["/svc:ship", "completed"],
  ];

  it.each(calls)("called by %s is %s if its agent never opened one", (message, status) => {
    const called = recordOpenPrCall(running(), { turnId: "turn-1", message: said(message) });
    if (isRefusal(called)) throw new Error(called.message);
    expect(ended(called.state).chat.turn?.status).toBe(status);
    expect(ended(called.state).session).toMatchObject({ status: "active", prNumber: null });
    expect(ended(called.state, { status: "awaiting_response" }).chat.turn?.status).toBe("awaiting_response");
    expect(ended(noted(opened, started(called.state, "/svc:open-pr"))).chat.turn?.status).toBe("completed");
  });

  it("keeps an end of the pull request that arrived meanwhile", () => {
    const merged = noted(opened, { ...started(), state: running({ prNumber: 7, prState: "merged" }) });
    expect(ended(merged).session).toMatchObject({ status: "active", prState: "merged" });
  });
});

describe("a question to the user", () => {
  const asking = ended(noted(unclear), { status: "awaiting_response" });
  const answering = withTurn(asking, turn("pending", { id: "turn-2", number: 2 }));

  it("waits for the next turn's message, unless that calls another skill", () => {
    expect(findAnsweredPending(answering, said("grace-k"))).toMatchObject({ title: "T", logins: ["ada"] });
    expect(findAnsweredPending(answering, said("/svc:open-pr -r ada"))).toBeNull();
  });

  it("is not answered by a user who may not open the pull request", () => {
    const isAnswer = (by: typeof relay) => findAnsweredPending(answering, said("grace-k", by)) !== null;
    expect([relay, otherSession].map(isAnswer)).toEqual([true, false]);
  });

  it("is not answered by a message that was queued before it", () => {
    const writtenAt = (at: number) => ({ ...said("grace-k"), context: { ...noContext, writtenAt: at } });
    expect(findAnsweredPending(answering, writtenAt(now - 1))).toBeNull();
    expect(findAnsweredPending(answering, writtenAt(now + 1))).not.toBeNull();
  });

  it("accepts from its agent only what the user's choice leaves open", () => {
    const named = (message: string) => createStarted(answering, message, { reviewers: ["bob"], base: "other" });
    expect(named("the other Grace").reviewers).toEqual({ names: ["ada", "bob"] });
    const unnamed = createStarted(answering, "the other Grace", {});
    expect(unnamed.reviewers).toEqual({ names: ["ada", "grace"] });
    expect(createStarted(answering, "grace-k", {}).reviewers).toEqual({ names: ["ada", "grace-k"] });
  });

  it("is closed after a turn has answered it in any way; not after one that failed or was stopped", () => {
    for (const [end, waits] of [
      [{ status: "completed" }, false],
      [{ status: "cancelled" }, true],
      [{ status: "failed", error: "It broke.", errorCode: null }, true],
    ] as const) {
      const decision = endTurn(answering, { turnId: "turn-2", end, nextTurnId: "turn-3" }, now);
      if (isRefusal(decision)) throw new Error(decision.message);
      const next = withTurn(decision.state, turn("pending", { id: "turn-3", number: 3 }));
      expect(findAnsweredPending(next, said("grace-k")) !== null).toBe(waits);
    }
  });

  const pending: PendingPullRequest = {
    ...{ title: "T", body: "B", evidence: [], isDraft: false, base: null, logins: [], askedAt: 0 },
    unclear: [{ name: "grace", isShared: true, logins: ["grace-h", "grace-k"] }],
    moved: null,
  };
  const moved = { from: "main", to: "next" };
  const two = [...pending.unclear, { name: "zzz", isShared: false, logins: ["adam", "mia"] }];

  it("has two to four options, the recommended one first", () => {
    const many = { name: "a", isShared: true, logins: ["a1", "a2", "a3", "a4", "a5"] };
    const none = { name: "b", isShared: false, logins: [] };
    for (const { options } of createQuestions({ logins: [], unclear: [many, none], moved })) {
      expect(options.length).toBeGreaterThanOrEqual(2);
      expect(options.length).toBeLessThanOrEqual(4);
      expect(options.map(({ isRecommended }) => isRecommended)).toEqual(options.map((_, at) => at === 0));
    }
  });

  const answered = (about: Partial<PendingPullRequest>, message: string) => {
    const asked = { ...pending, ...about };
    return readOpenPrAnswer(asked, findChosenOptions(createQuestions(asked), createTextMessage(message)));
  };

  const answers: [about: Partial<PendingPullRequest>, message: string, answer: object][] = [
    [{}, "grace-k", { logins: ["grace-k"], names: [], settles: "all" }],
    [{}, "  GRACE-H ", { logins: ["grace-h"], names: [] }],
    [{}, "1", { logins: ["grace-h"] }],
    [{}, "#2.", { logins: ["grace-k"] }],
    [{}, "3", { logins: [], names: [], settles: "all" }],
    [{}, "no reviewer", { logins: [], names: [], settles: "all" }],
    [{ unclear: [], moved }, "Move it to next", { base: "next", settles: "all" }],
    [{ unclear: [], moved }, "leave it on main", { base: "main" }],
    [{ unclear: [], moved }, "2", { base: "main" }],
    [{ moved }, "grace-h\nLeave it on main", { logins: ["grace-h"], base: "main", settles: "all" }],
    [{ moved }, "2, 1", { logins: ["grace-k"], base: "next" }],
    [{ unclear: two }, "2; mia", { logins: ["grace-k", "mia"], names: [] }],
  ];

  test.each(answers)("about %j, answered %j, is resolved as %j", (about, message, answer) => {
    expect(answered(about, message)).toMatchObject({ givesUp: false, ...answer });
  });

  test.each([
    "Grace K",
    "grace-k please",
    "the second one",
    "option 3",
    "4",
    "0",
    "nobody, leave them out",
    "not grace-k",
    "bob and carol",
    "1, 2",
    "First, what does it do?",
  ])("leaves %j for the agent to read", (message) => {
    expect(answered({}, message)).toMatchObject({ logins: [], names: ["grace"], settles: "nothing", givesUp: false });
  });

  it("is resolved in part by options for some of its questions", () => {
    const chosen = [{ question: createQuestions({ ...pending, unclear: two })[1]?.question ?? "", option: "adam" }];
    const answer = readOpenPrAnswer({ ...pending, unclear: two }, chosen);
    expect(answer).toMatchObject({ logins: ["adam"], names: ["grace"], settles: "some" });
  });

  test.each([
    ["Do not open it", true],
    ["2", true],
    ["1", false],
    ["never mind", false],
  ])("%j abandons a pull request with an unknown reviewer: %s", (message, isGivenUp) => {
    expect(answered({ unclear: [{ name: "zzz", isShared: false, logins: [] }] }, message).givesUp).toBe(isGivenUp);
  });
});

it("every built-in skill gives the agent the description of its list row", () => {
  for (const { name, description, argumentHint } of builtInSkills) {
    const path = `${import.meta.dirname}/../../../../sandbox-program/agent/skills/${name.replace(":", "-")}/SKILL.md`;
    expect(readBuiltInSkill(readFileSync(path, "utf8"))).toMatchObject({ skill: { name, description, argumentHint } });
  }
});
