// Messages of triggers: how many, on whose money, and what they do to a session Under Review.
import { describe, expect, it, test } from "vitest";
import type { Sender, TriggerActor } from "../../../src/access/rules/actor.ts";
import { isUnfinished } from "../../../src/chat/rules/turn.ts";
import { findSubscriber, findSubscriberOfTurn } from "../../../src/provider-login/rules/payer.ts";
import {
  checkAutomaticTurn,
  noCredential,
  recordAnswers,
  updateAutofix,
} from "../../../src/session/rules/automatic.ts";
import { send } from "../../../src/session/rules/send.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { endTurn } from "../../../src/session/rules/turn-end.ts";
import {
  accepted,
  acquired,
  byAuthor,
  byMember,
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

const byTrigger: TriggerActor = {
  type: "trigger",
  triggerId: "trigger-1",
  name: "Fix failed checks",
  source: "github",
  url: "https://host/pull/7",
  login: null,
  askedBy: null,
  replacesWaiting: true,
  attemptsMax: 3,
  sessionLimitUsd: 5,
  resumesReview: true,
  returnsToReview: true,
};
const other = { ...byTrigger, triggerId: "trigger-2" };
const after = (attempts: number) => ({ automatic: { attempts, review: null } });
const sentBy = (by: Sender, state = sessionState({ session: after(2) }), facts = sendFacts()) =>
  send(state, sendCommand({ by }), facts, now);
const from = (...senders: TriggerActor[]) =>
  senders.flatMap(({ triggerId, name, source, url, login }, place) =>
    waiting(`waiting-${place}`).map((message) => ({
      ...message,
      author: { kind: "trigger" as const, triggerId, name, source, url, login },
    })),
  );

test.each<[string, Sender, number]>([
  ["a trigger", byTrigger, 3],
  ["a member", byMember(), 0],
  ["a member through the Lead", { ...byMember(), type: "lead" }, 0],
  ["a relay", byAuthor(relay), 0],
  ["another session", byAuthor(otherSession), 2],
])("a message of %s leaves the count of attempts at %i", (_, by, attempts) => {
  expect(accepted(sentBy(by)).state.session.automatic?.attempts).toBe(attempts);
});

test("a session whose repairs are switched off stays so, after each message", () => {
  const off = updateAutofix(sessionState({ session: after(2) }), true);
  expect(off.session.automatic).toEqual({ attempts: 0, review: null, isOff: true });
  for (const by of [byTrigger, byMember()]) expect(accepted(sentBy(by, off)).state.session.automatic?.isOff).toBe(true);
  expect(updateAutofix(off, false).session.automatic?.isOff).toBe(false);
});

test("after the last attempt a person is asked, until one writes or switches repairs on", () => {
  const used = recordAnswers(sessionState({ session: after(3) }), { isUsedUp: true });
  const answers = { answers: true, review: null };
  expect(used.session.automatic).toEqual({ attempts: 3, isUsedUp: true, ...answers });
  expect(accepted(sentBy(byMember(), used)).state.session.automatic).toEqual({ attempts: 0, ...answers });
  expect(updateAutofix(used, false).session.automatic).toEqual({ attempts: 0, isOff: false, ...answers });
});

test("a person's message to a session without triggers stores nothing", () => {
  expect(accepted(sentBy(byMember(), sessionState())).state.session.automatic).toBeNull();
});

test("a member's review starts the count again, is not counted itself, and replaces nothing that waits", () => {
  const state = sessionState({ turn: turn("running"), upNext: from(byTrigger), session: after(3) });
  const { session, chat } = accepted(sentBy({ ...byTrigger, login: "mia" }, state)).state;
  expect(session.automatic?.attempts).toBe(0);
  expect(chat.upNext.map(({ id }) => id)).toEqual(["waiting-0", "message-1"]);
});

test("a trigger is refused once its attempts are used up", () => {
  expect(refusalCode(sentBy(byTrigger, sessionState({ session: after(3) })))).toBe("CONFLICT");
});

test("a trigger is refused if the workspace cannot run the session's model", () => {
  expect(refusalCode(sentBy(byTrigger, sessionState(), sendFacts({ runnable: new Set() })))).toBe("BAD_REQUEST");
});

test("the newest message of a trigger replaces its waiting one, and no other", () => {
  const upNext = [...waiting("a"), ...from(byTrigger, other)];
  const { state } = accepted(sentBy(byTrigger, sessionState({ turn: turn("running"), upNext })));
  expect(state.chat.upNext.map(({ id }) => id)).toEqual(["a", "waiting-1", "message-1"]);
});

test("a request does not replace an earlier one, and a fourth does not wait beside three others", () => {
  const byRequest: TriggerActor = { ...byTrigger, source: "http", replacesWaiting: false };
  const sentBeside = (...senders: TriggerActor[]) =>
    sentBy(byRequest, sessionState({ turn: turn("running"), upNext: from(...senders) }));
  expect(accepted(sentBeside(byRequest, byRequest)).state.chat.upNext).toHaveLength(3);
  expect(refusalCode(sentBeside(byRequest, byRequest, byRequest))).toBe("QUEUE_FULL");
});

test("a fourth trigger does not wait beside three others", () => {
  const others = ["2", "3", "4"].map((id) => ({ ...byTrigger, triggerId: id }));
  expect(refusalCode(sentBy(byTrigger, sessionState({ turn: turn("running"), upNext: from(...others) })))).toBe(
    "QUEUE_FULL",
  );
});

test.each([
  ["a turn starts", sessionState({ session: after(0) })],
  ["the message would wait", sessionState({ turn: turn("running") })],
])("a trigger's message with a model that the workspace cannot run is refused, also if %s", (_, state) => {
  const sentOn = (by: Sender) => send(state, sendCommand({ by, model: "nope:none" }), sendFacts(), now);
  expect(sentOn(byTrigger)).toBe(noCredential);
  expect(refusalCode(sentOn(byMember()))).toBeNull();
});

const filedBy = { kind: "trigger", triggerId: byTrigger.triggerId, name: "Calls", source: "http", url: null } as const;
const started = { filedBy: { ...filedBy, login: null } };
const spent = (usd: number) => ({
  ...started,
  automatic: { attempts: 0, review: null, limitUsd: 5, spentNanoUsd: usd * 1e9 },
});
const usage = (usd: number) => ({
  usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1, nanoUsd: usd * 1e9, payer: "workspace" as const },
});
const [automaticSender] = from(byTrigger).map(({ author }) => author);
const [askedSender] = from({ ...byTrigger, login: "mia" }).map(({ author }) => author);

describe("what turns that no person sent may cost in a session that a trigger started", () => {
  const running = (usd: number, sender = automaticSender) =>
    sessionState({ turn: turn("running", { ...usage(usd), ...(sender && { sender }) }), session: spent(2) });

  test.each<[string, SessionState, Sender, string | null]>([
    ["below the limit", sessionState({ session: spent(4.99) }), other, null],
    ["at the limit", sessionState({ session: spent(5) }), other, "CREDIT_LIMIT_REACHED"],
    ["at the limit, of its own trigger", sessionState({ session: spent(5) }), byTrigger, "CREDIT_LIMIT_REACHED"],
    ["of its own trigger, which allows more by now", sessionState({ session: spent(5) }), raised(), null],
    ["of a member who asked", sessionState({ session: spent(9) }), { ...other, login: "mia" }, null],
    ["of a member", sessionState({ session: spent(9) }), byMember(), null],
    ["of another session", sessionState({ session: spent(9) }), byAuthor(otherSession), null],
    ["while a turn of a trigger runs into the limit", running(3), other, "CREDIT_LIMIT_REACHED"],
    ["while a turn of a trigger runs below it", running(2.9), other, null],
    ["while a turn that a member asked for runs", running(3, askedSender), other, null],
    ["in a session that a member started", sessionState(), other, null],
  ])("a message %s", (_, state, by, code) => {
    expect(refusalCode(sentBy(by, state))).toBe(code);
  });

  test.each<[string, Sender, number]>([
    ["a member", byMember(), 0],
    ["a relay", byAuthor(relay), 0],
    ["a trigger that a member asked", { ...other, login: "mia" }, 0],
    ["a trigger", other, 4e9],
    ["another session", byAuthor(otherSession), 4e9],
  ])("after a message of %s, %i nano-dollars count", (_, by, nanoUsd) => {
    const { session } = accepted(sentBy(by, sessionState({ session: spent(4) }))).state;
    expect(session.automatic).toMatchObject({ limitUsd: 5, spentNanoUsd: nanoUsd });
  });

  test.each([
    ["a trigger", automaticSender, 6e9],
    ["a trigger that a member asked", askedSender, 2e9],
    ["a member", undefined, 2e9],
  ])("after a turn of %s, it is counted or not", (_, sender, nanoUsd) => {
    const state = sessionState({
      turn: turn("running", { ...usage(4), ...(sender && { sender }) }),
      session: spent(2),
    });
    expect(endedOf(state).automatic?.spentNanoUsd).toBe(nanoUsd);
  });

  it("counts only what a running turn costs after a person has written", () => {
    const written = accepted(sentBy(byMember(), running(3))).state;
    const { chat } = written;
    const grown = { ...written, chat: { ...chat, upNext: [], turn: chat.turn && { ...chat.turn, ...usage(4) } } };
    expect(endedOf(grown).automatic?.spentNanoUsd).toBe(1e9);
  });

  it("is not counted in a session that no trigger started", () => {
    const automatic = { attempts: 1, review: null };
    const sender = automaticSender;
    const state = sessionState({
      turn: turn("running", { ...usage(4), ...(sender && { sender }) }),
      session: { automatic },
    });
    expect(endedOf(state).automatic).toEqual(automatic);
  });

  it("lets others go before a message of a trigger that waited meanwhile", () => {
    const upNext = [...from(other, { ...other, login: "mia" }), ...waiting("person")];
    const ending = (usd: number) => {
      const state = sessionState({ turn: turn("running"), upNext, session: spent(usd) });
      const event = { turnId: state.chat.turn?.id ?? "", end: { status: "completed" as const }, nextTurnId: "turn-10" };
      return accepted(endTurn(state, event, now)).state.chat.upNext.map(({ id }) => id);
    };
    expect([ending(4), ending(5)]).toEqual([
      ["waiting-1", "person"],
      ["person", "waiting-0"],
    ]);
  });

  it("stops a message of a trigger that waited meanwhile, and none of a person", () => {
    const { session } = sessionState({ session: spent(5) });
    const codes = [automaticSender, askedSender, undefined].map((sender) =>
      refusalCode(checkAutomaticTurn(session, turn("pending", sender && { sender }))),
    );
    expect(codes).toEqual(["CREDIT_LIMIT_REACHED", null, null]);
  });
});

function endedOf(state: SessionState) {
  const event = { turnId: state.chat.turn?.id ?? "", end: { status: "completed" as const }, nextTurnId: "turn-10" };
  return accepted(endTurn(state, event, now)).state.session;
}

function raised(): TriggerActor {
  return { ...byTrigger, sessionLimitUsd: 6 };
}

test("the workspace pays, also in a session that a member's subscription pays for", () => {
  const parties = { assignee: { kind: "member" as const, userId: "usr_ada" }, filedBy: null };
  const authors = from(byTrigger).map(({ author }) => author);
  expect([
    findSubscriber(parties, byTrigger),
    ...authors.map((author) => findSubscriberOfTurn(parties, author)),
  ]).toEqual([null, null]);
  expect(findSubscriberOfTurn(parties, relay)).toBe("usr_ada");
});

describe("in a session Under Review", () => {
  const inReview = sessionState({
    turn: turn("completed"),
    pause: { reason: "under_review", pausedAt: now - 1 },
    session: { status: "under-review", prNumber: 7, prState: "open" },
  });
  const draft = sendFacts(acquired({ pullRequest: "draft" }));
  const resumed = () => accepted(sentBy(byTrigger, inReview, draft)).state;
  const ended = (state = resumed(), status: "completed" | "awaiting_response" = "completed") =>
    accepted(
      endTurn(
        state,
        { turnId: state.chat.turn?.id ?? "", end: { status }, nextTurnId: `turn-${state.chat.turn?.id}` },
        now,
      ),
    );

  it("a trigger that only notices is refused", () => {
    expect(refusalCode(sentBy({ ...byTrigger, resumesReview: false }, inReview, draft))).toBe("SESSION_UNDER_REVIEW");
  });

  it("a trigger works, with the pull request as a draft, and goes back with the pull request ready", () => {
    const { session } = resumed();
    expect([session.status, session.prState]).toEqual(["active", "draft"]);
    const { state, effects } = ended();
    expect(state.session).toMatchObject({ status: "under-review", automatic: { attempts: 1, review: null } });
    expect(effects).toContainEqual({ type: "mark-ready" });
  });

  it("a trigger that does not go back leaves the session Active", () => {
    const { state } = accepted(sentBy({ ...byTrigger, login: "mia", returnsToReview: false }, inReview, draft));
    expect(ended(state).state.session.status).toBe("active");
  });

  it("a pull request that was a draft before stays one", () => {
    const asDraft = { ...inReview, session: { ...inReview.session, prState: "draft" as const } };
    const { state, effects } = ended(accepted(sentBy(byTrigger, asDraft)).state);
    expect(state.session.status).toBe("under-review");
    expect(effects).not.toContainEqual({ type: "mark-ready" });
  });

  it("a turn that asks leaves the session Active", () => {
    expect(ended(resumed(), "awaiting_response").state.session.status).toBe("active");
  });

  it("a session in which a message waits stays Active", () => {
    const state = resumed();
    const { session } = ended({ ...state, chat: { ...state.chat, upNext: waiting("a") } }).state;
    expect(session.status).toBe("active");
  });

  /** Ends the running turn, and the turn of each message that waits. */
  function drained(state: SessionState): ReturnType<typeof ended> {
    const one = ended(state);
    return isUnfinished(one.state.chat.turn) ? drained(one.state) : one;
  }

  it.each<[string, Sender[]]>([
    ["a second failure", [other]],
    [
      "two reviews",
      [
        { ...byTrigger, login: "mia" },
        { ...byTrigger, login: "rhea" },
      ],
    ],
    ["another session", [byAuthor(otherSession)]],
  ])("messages of %s meanwhile have their turns before the session goes back", (_, senders) => {
    const state = senders.reduce((before, by) => accepted(sentBy(by, before)).state, resumed());
    expect(state.chat.upNext).toHaveLength(senders.length);
    const first = ended(state);
    expect(first.state.session).toMatchObject({ status: "active", prState: "draft" });
    const { state: last, effects } = drained(first.state);
    expect(last.session).toMatchObject({ status: "under-review", automatic: { review: null } });
    expect(effects).toContainEqual({ type: "mark-ready" });
  });

  it("a person's message that waited before keeps the session Active after its turn", () => {
    const state = resumed();
    const { session } = drained({ ...state, chat: { ...state.chat, upNext: waiting("a") } }).state;
    expect(session).toMatchObject({ status: "active", automatic: { review: null } });
  });

  it("a second turn that asks leaves the session Active", () => {
    const { state } = ended(accepted(sentBy(other, resumed())).state);
    expect(ended(state, "awaiting_response").state.session).toMatchObject({
      status: "active",
      automatic: { review: null },
    });
  });

  it("a person's message meanwhile keeps the session Active", () => {
    const written = accepted(sentBy(byMember(), resumed())).state;
    const { session } = ended({ ...written, chat: { ...written.chat, upNext: [] } }).state;
    expect(session).toMatchObject({ status: "active", automatic: { attempts: 0 } });
  });
});
