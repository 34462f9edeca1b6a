import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { endTurn, type TurnEnd } from "../../../src/rules/chat/turn-end.ts";
import {
  type AgentWords,
  beginOpening,
  noteOpening,
  type OpenPrOutcome,
  wishAnswered,
} from "../../../src/rules/pull-request/open.ts";
import { givesUp, readWishAnswer } from "../../../src/rules/pull-request/open-answer.ts";
import { isWhatIsLeft, type PullRequestWish, questionsOf } from "../../../src/rules/pull-request/open-question.ts";
import { callForOpening } from "../../../src/rules/pull-request/open-task.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import type { Session } from "../../../src/rules/session/session.ts";
import { factorySkills } from "../../../src/rules/skill/factory-skill.ts";
import { readSkill } from "../../../src/rules/skill/skill.ts";
import { now, sessionState, turn, waiting } from "../../support/session-state.ts";

const words: AgentWords = { title: "T", body: "B", reviewers: null, base: null };
const opened: OpenPrOutcome = { is: "opened", number: 7, url: "https://host/7", base: "main" };
const unclear: OpenPrOutcome = {
  is: "unclear",
  clarity: {
    logins: ["ada"],
    unclear: [{ name: "grace", isShared: true, logins: ["grace-h", "grace-k"] }],
    moved: null,
  },
};

const running = (session: Partial<Session> = {}) => sessionState({ turn: turn("running"), session });

function begun(state = running(), message = "/svc:open-pr", more: Partial<AgentWords> = {}) {
  const begun = beginOpening(state, { turnId: "turn-1", message, words: { ...words, ...more } });
  if (isRefusal(begun)) throw new Error(begun.message);
  return { state: begun.state, order: begun.answer };
}

function noted(outcome: OpenPrOutcome, from = begun()) {
  const decision = noteOpening(from.state, { turnId: "turn-1", order: from.order, outcome }, now);
  if (isRefusal(decision)) throw new Error(decision.message);
  return decision.state;
}

function ended(state = noted(opened), end: TurnEnd = { status: "completed" }) {
  const decision = endTurn(state, { turnId: "turn-1", end, nextTurnId: "turn-2" }, now);
  if (isRefusal(decision)) throw new Error(decision.message);
  return decision.state;
}

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
    expect(isRefusal(beginOpening(state, { turnId: "turn-1", message, words }))).toBe(true);
  });

  const asked: [message: string, session: Partial<Session>, order: object][] = [
    ["/svc:open-pr", {}, { isDraft: false, number: null, reviewers: null, evidence: [] }],
    ["/svc:open-pr -d", {}, { isDraft: true, number: null }],
    ["/svc:open-pr -d", { prNumber: 7, prState: "draft" }, { isDraft: false, number: 7 }],
    ["/svc:open-pr -r ada", {}, { reviewers: { flags: "-r ada" } }],
    ["/svc:open-pr -e https://a.example", {}, { evidence: ["https://a.example"] }],
  ];

  it.each(asked)("reads %j of the user's message, with %j", (message, session, order) => {
    expect(begun(running(session), message).order).toMatchObject(order);
  });

  it("believes the agent neither a reviewer nor a branch unless the user was asked for them", () => {
    expect(begun(running(), "/svc:open-pr", { reviewers: ["eve"], base: "other" }).order).toMatchObject({
      reviewers: null,
      base: null,
    });
  });

  it("asked again in its turn, keeps to what it began: a draft that it has opened itself stays one", () => {
    const first = begun(running(), "/svc:open-pr -d");
    const again = begun(noted(opened, first), "/svc:open-pr -d");
    expect(again.order).toMatchObject({ isDraft: true, number: 7 });
  });
});

describe("a turn that was to open a pull request", () => {
  it("takes the session Under Review when it completes with one that is ready, and Up next pauses", () => {
    const state = ended({ ...noted(opened), upNext: waiting("a") });
    expect(state.session).toMatchObject({
      status: "under-review",
      prState: "open",
      prUrl: "https://host/7",
      prNumber: 7,
    });
    expect([state.pause?.reason, state.upNext.length, state.turn?.status]).toEqual(["under_review", 1, "completed"]);
  });

  it("leaves the session Active with a draft, and Up next goes on", () => {
    const state = ended({ ...noted(opened, begun(running(), "/svc:open-pr -d")), upNext: waiting("a") });
    expect(state.session).toMatchObject({ status: "active", prState: "draft" });
    expect(state.turn?.id).toBe("turn-2");
  });

  const others: TurnEnd[] = [
    { status: "cancelled" },
    { status: "failed", error: "It broke.", errorCode: null },
    { status: "awaiting_response" },
  ];

  it.each(others)("leaves the session Active when it ends otherwise: %j", (end) => {
    expect(ended(noted(opened), end).session.status).toBe("active");
  });

  it("fails with the reason when it could not, unless it could later", () => {
    const refused = noted({ is: "refused", reason: "Nothing to merge." });
    expect(ended(refused).turn).toMatchObject({ status: "failed", error: "Nothing to merge." });
    expect(ended(noted(opened, begun(refused))).turn).toMatchObject({ status: "completed" });
  });

  const calls: [message: string, status: string][] = [
    ["/svc:open-pr", "failed"],
    ["/svc:open-pr -d", "failed"],
    ["Open the pull request, please.", "completed"],
    ["/svc:ship", "completed"],
  ];

  it.each(calls)("called by %s is %s when its agent never opened one", (message, status) => {
    const called = callForOpening(running(), { turnId: "turn-1", message });
    if (isRefusal(called)) throw new Error(called.message);
    expect(ended(called.state).turn?.status).toBe(status);
    expect(ended(called.state).session).toMatchObject({ status: "active", prNumber: null });
    expect(ended(called.state, { status: "awaiting_response" }).turn?.status).toBe("awaiting_response");
    expect(ended(noted(opened, begun(called.state, "/svc:open-pr"))).turn?.status).toBe("completed");
  });

  it("leaves an end of the pull request that came meanwhile as it is", () => {
    const merged = noted(opened, { ...begun(), state: running({ prNumber: 7, prState: "merged" }) });
    expect(ended(merged).session).toMatchObject({ status: "active", prState: "merged" });
  });
});

describe("a question to the user", () => {
  const asking = ended(noted(unclear), { status: "awaiting_response" });
  const answering = { ...asking, turn: turn("pending", { id: "turn-2", number: 2 }) };

  it("waits for the next turn's message, unless that calls a skill of its own", () => {
    expect(wishAnswered(answering, "grace-k")).toMatchObject({ title: "T", logins: ["ada"] });
    expect(wishAnswered(answering, "/svc:open-pr -r ada")).toBeNull();
  });

  it("is over once a turn has answered it, whatever it said; one that failed or was stopped has not", () => {
    for (const [end, waits] of [
      [{ status: "completed" }, false],
      [{ status: "cancelled" }, true],
      [{ status: "failed", error: "It broke.", errorCode: null }, true],
    ] as const) {
      const decision = endTurn(answering, { turnId: "turn-2", end, nextTurnId: "turn-3" }, now);
      if (isRefusal(decision)) throw new Error(decision.message);
      const next = { ...decision.state, turn: turn("pending", { id: "turn-3", number: 3 }) };
      expect(wishAnswered(next, "grace-k") !== null).toBe(waits);
    }
  });

  const wish: PullRequestWish = {
    ...{ title: "T", body: "B", evidence: [], isDraft: false, base: null, logins: [] },
    unclear: [{ name: "grace", isShared: true, logins: ["grace-h", "grace-k"] }],
    moved: null,
  };
  const moved = { from: "main", to: "next" };
  const two = [...wish.unclear, { name: "zzz", isShared: false, logins: ["adam", "mia"] }];

  it("has two to four options, the recommended one first", () => {
    const many = { name: "a", isShared: true, logins: ["a1", "a2", "a3", "a4", "a5"] };
    const none = { name: "b", isShared: false, logins: [] };
    for (const { options } of questionsOf({ logins: [], unclear: [many, none], moved })) {
      expect(options.length).toBeGreaterThanOrEqual(2);
      expect(options.length).toBeLessThanOrEqual(4);
      expect(options.map(({ isRecommended }) => isRecommended)).toEqual(options.map((_, at) => at === 0));
    }
  });

  const answers: [about: Partial<PullRequestWish>, message: string, answer: object | null][] = [
    [{}, "grace-k", { names: ["grace-k"], base: null }],
    [{}, "  @Grace-K. ", { names: ["grace-k"], base: null }],
    [{}, '"grace-h"', { names: ["grace-h"], base: null }],
    [{}, "Reviewer grace: grace-h", { names: ["grace-h"], base: null }],
    [{}, "No reviewer", { names: [], base: null }],
    [{}, "bob and carol", { names: ["bob", "carol"], base: null }],
    [{}, "First, what does it do?", null],
    [{}, "Please look at the failing tests of the board first", null],
    [{ unclear: [], moved }, "Move it to next", { names: [], base: "next" }],
    [{ unclear: [], moved }, "leave it on main", { names: [], base: "main" }],
    [{ unclear: [], moved }, "next", { names: [], base: "next" }],
    [{ unclear: [], moved }, "Neither", null],
    [{ moved }, "grace-h\nLeave it on main", { names: ["grace-h"], base: "main" }],
    [{ moved }, "1. grace-h\n2. next", { names: ["grace-h"], base: "next" }],
    [{ moved }, "grace-h, Move it to next", { names: ["grace-h"], base: "next" }],
    [{ moved }, "grace-h", { names: ["grace-h"], base: null }],
    [{}, "Grace H", { names: ["grace-h"], base: null }],
    [{}, "grace-k please", { names: ["grace-k"], base: null }],
    [{}, "Please ask Grace K to review, thanks", { names: ["grace-k"], base: null }],
    [{}, "1", { names: ["grace-h"], base: null }],
    [{}, "#2.", { names: ["grace-k"], base: null }],
    [{}, "the second one", { names: ["grace-k"], base: null }],
    [{}, "option 3", { names: [], base: null }],
    [{}, "4", { names: ["4"], base: null }],
    [{}, "nobody, leave them out", { names: [], base: null }],
    [{}, "No reviewers, please", { names: [], base: null }],
    [{}, "not grace-k", null],
    [{}, "Mia Member and bob", { names: ["Mia Member", "bob"], base: null }],
    [{ unclear: [], moved }, "Keep main", { names: [], base: "main" }],
    [{ unclear: [], moved }, "please leave it", { names: [], base: "main" }],
    [{ unclear: [], moved }, "the first", { names: [], base: "next" }],
    [{ unclear: [], moved }, "use next please", { names: [], base: "next" }],
    [{ unclear: [], moved }, "not next", null],
    [{ moved }, "keep main", { names: ["grace"], base: "main" }],
    [{ unclear: two }, "grace-k", { names: ["grace-k", "zzz"], base: null }],
    [{ unclear: two }, "2, 1", { names: ["grace-k", "adam"], base: null }],
    [{ unclear: two }, "adam", { names: ["grace", "adam"], base: null }],
    [{ unclear: two }, "nobody, leave them out", { names: [], base: null }],
    [{ unclear: two }, "none", { names: [], base: null }],
    [{ unclear: two }, "Grace K and nobody for zzz", { names: ["grace-k"], base: null }],
    [{ unclear: two }, "Reviewer zzz: mia", { names: ["grace", "mia"], base: null }],
    [{ unclear: two }, "Mend the tests", null],
  ];

  test.each(answers)("about %j, answered %j, is settled as %j", (about, message, answer) => {
    expect(readWishAnswer({ ...wish, ...about }, message)).toEqual(answer);
  });
});

test.each([
  ["Do not open it", true],
  ["please don't open it.", true],
  ["never mind", true],
  ["2", true],
  ["1", false],
  ["nobody", false],
])("%j gives up a pull request with a reviewer whom nobody comes close to: %s", (message, isGivenUp) => {
  const unclear = [{ name: "zzz", isShared: false, logins: [] }];
  expect(givesUp({ logins: [], unclear, moved: null }, message)).toBe(isGivenUp);
});

it("every factory skill tells the agent what its list row says", () => {
  for (const { name, description, argumentHint } of factorySkills) {
    const path = `${import.meta.dirname}/../../../sandbox/agent/skills/${name.replace(":", "-")}/SKILL.md`;
    expect(readSkill(readFileSync(path, "utf8"))).toMatchObject({ name, description, argumentHint });
  }
});

test.each([
  ["a name that was asked about", "grace", false, true],
  ["another name that several people have", "ada", true, true],
  ["another name that is nobody's", "the tests", false, false],
])("what an answer leaves open is asked again when it is %s: %s", (_, name, isShared, isLeft) => {
  const clarity = { logins: [], moved: null };
  const wish = { ...clarity, unclear: [{ name: "grace", isShared: true, logins: ["grace-h", "grace-k"] }] };
  expect(isWhatIsLeft(wish, { ...clarity, unclear: [{ name, isShared, logins: [] }] })).toBe(isLeft);
});
