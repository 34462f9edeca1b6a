import { describe, expect, it, test } from "vitest";
import { noContext, textMessage } from "../../../src/rules/chat/message.ts";
import { editQueued } from "../../../src/rules/chat/queued-message.ts";
import { drain, enqueue, pauseReasons, type QueuedMessage, resumeUpNext } from "../../../src/rules/chat/up-next.ts";
import { upNextSize } from "../../../src/rules/limits.ts";
import { isRefusal } from "../../../src/rules/refusal.ts";
import { type SessionState, sessionStatuses } from "../../../src/rules/session/session.ts";
import {
  accepted,
  byMember,
  cron,
  now,
  refusalCode,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const message: QueuedMessage = {
  id: "z",
  ...textMessage("Then this."),
  author: cron,
  version: 1,
  editing: null,
  createdAt: now,
};
const pause = { reason: "failed", pausedAt: now - 5 } as const;
const twenty = waiting(...Array.from({ length: upNextSize }, (_, place) => `m${place}`));

describe("Up next", () => {
  it("pauses for the contract's four reasons", () => {
    expect(pauseReasons).toEqual(["failed", "cancelled", "awaiting_response", "under_review"]);
  });

  it("takes a message at its end", () => {
    const queued = enqueue(sessionState({ upNext: waiting("a", "b") }), message);
    expect(isRefusal(queued) ? [] : queued.upNext.map(({ id }) => id)).toEqual(["a", "b", "z"]);
  });

  it("counts those that are with the turn, for they may come back", () => {
    const steers = waiting("x", "y").map((one) => ({ steerId: `of ${one.id}`, turnId: "turn-1", message: one }));
    expect(refusalCode(enqueue(sessionState({ upNext: twenty.slice(3), steers }), message))).toBeNull();
    expect(refusalCode(enqueue(sessionState({ upNext: twenty.slice(2), steers }), message))).toBe("QUEUE_FULL");
  });

  it("takes a 20th message and refuses the 21st", () => {
    expect(refusalCode(enqueue(sessionState({ upNext: twenty.slice(1) }), message))).toBeNull();
    expect(refusalCode(enqueue(sessionState({ upNext: twenty }), message))).toBe("QUEUE_FULL");
  });
});

describe("the top message", () => {
  it("starts its own turn, as its author wrote it, on the session's model", () => {
    const { state, effects } = drain(sessionState({ upNext: [message, ...waiting("a")] }), "turn-2", now);
    expect(state.turn).toMatchObject({ id: "turn-2", sender: cron, model: "anthropic:opus__high" });
    const asWritten = { ...textMessage("Then this."), context: { ...noContext, writtenAt: now } };
    expect(state.spoken).toEqual([
      { id: "z", turnId: "turn-2", ...asWritten, delivery: "job", author: cron, createdAt: now },
    ]);
    expect(state.upNext.map(({ id }) => id)).toEqual(["a"]);
    expect(effects).toContainEqual({ type: "start-turn", turnId: "turn-2" });
  });

  it.each([
    ["there is none", {}],
    ["Up next is paused", { upNext: [message], pause }],
    ["a turn is pending", { upNext: [message], turn: turn("pending") }],
    ["a turn runs", { upNext: [message], turn: turn("running") }],
    ["the session is Under Review", { upNext: [message], session: { status: "under-review" } as const }],
    ["the session has ended", { upNext: [message], session: { status: "completed" } as const }],
  ])("does not go when %s", (_, changes) => {
    const state = sessionState(changes);
    expect(drain(state, "turn-2", now)).toEqual({ state, effects: [] });
  });
});

describe("a resume", () => {
  it.each(pauseReasons)("ends a pause after %s and sends the top message", (reason) => {
    const state = sessionState({ turn: turn("completed"), upNext: waiting("a", "b"), pause: { ...pause, reason } });
    const resumed = accepted(resumeUpNext(state, { turnId: "turn-2" }, sendFacts(), now));
    expect(resumed.state.pause).toBeNull();
    expect(resumed.state.upNext.map(({ id }) => id)).toEqual(["b"]);
    expect(resumed.state.turn).toMatchObject({ id: "turn-2", status: "pending" });
    expect(resumed.state.spoken.map(({ id }) => id)).toEqual(["a"]);
    expect(resumed.effects).toContainEqual({ type: "start-turn", turnId: "turn-2" });
  });

  it("with nothing waiting ends the pause, and lists show it", () => {
    const resumed = accepted(resumeUpNext(sessionState({ pause }), { turnId: "turn-2" }, sendFacts(), now));
    expect([resumed.state.pause, resumed.state.turn]).toEqual([null, null]);
    expect(resumed.effects).toEqual([{ type: "index-session" }]);
  });

  it("while a turn runs starts no second one", () => {
    const state = sessionState({ turn: turn("running"), upNext: waiting("a"), pause });
    const resumed = accepted(resumeUpNext(state, { turnId: "turn-2" }, sendFacts(), now)).state;
    expect([resumed.pause, resumed.turn?.id, resumed.upNext.length]).toEqual([null, "turn-1", 1]);
  });

  it("of one that is not paused changes nothing", () => {
    const state = sessionState({ turn: turn("running"), upNext: waiting("a") });
    expect(accepted(resumeUpNext(state, { turnId: "turn-2" }, sendFacts(), now)).state).toEqual(state);
  });

  it.each([
    ["starts a turn on the one that can be run", waiting("a"), "anthropic:haiku__low"],
    ["leaves it without one where nothing waits", [], null],
  ])("of a session that has no model yet %s", (_, upNext, model) => {
    const command = { turnId: "turn-2", modelIfNone: "anthropic:haiku__low" };
    const state = sessionState({ upNext, pause, session: { model: null } });
    const resumed = accepted(resumeUpNext(state, command, sendFacts(), now)).state;
    expect([resumed.session.model, resumed.turn?.model ?? null]).toEqual([model, model]);
  });

  it("keeps the model that the session has", () => {
    const command = { turnId: "turn-2", modelIfNone: "anthropic:haiku__low" };
    const resumed = accepted(resumeUpNext(sessionState({ upNext: waiting("a"), pause }), command, sendFacts(), now));
    expect(resumed.state.turn?.model).toBe("anthropic:opus__high");
  });

  it.each([
    ["nothing waits", sessionState({ pause })],
    ["a turn runs", sessionState({ turn: turn("running"), upNext: waiting("a"), pause })],
  ])("that starts no turn, because %s, needs nothing", (_, state) => {
    const facts = sendFacts({ isBlockedOnBilling: true, isAtSandboxLimit: true, isDeploying: true, sandbox: null });
    expect(accepted(resumeUpNext(state, { turnId: "turn-2" }, facts, now)).state.pause).toBeNull();
  });

  it("is for Active sessions alone", () => {
    const refused = sessionStatuses.filter((status) => {
      const state = sessionState({ session: { status }, upNext: waiting("a"), pause });
      return refusalCode(resumeUpNext(state, { turnId: "turn-2" }, sendFacts(), now)) === "BAD_REQUEST";
    });
    expect(refused).toEqual(["backlog", "under-review", "completed", "archived"]);
  });

  it.each([
    [{ isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
    [{ isDeploying: true, sandbox: null }, "DEPLOY_ACTIVE"],
    [{ isAtSandboxLimit: true, sandbox: null }, "SANDBOX_LIMIT_REACHED"],
    [{ isDeploying: true, sandbox: "running" as const }, null],
    [{ sandbox: "starting" as const }, null],
  ])("that would start a turn, where %j: %s", (facts, code) => {
    const state = sessionState({ upNext: waiting("a"), pause });
    expect(refusalCode(resumeUpNext(state, { turnId: "turn-2" }, sendFacts(facts), now))).toBe(code);
  });
});

test("a message that has waited goes out with the time at which its text was last written", () => {
  const state = sessionState({ turn: turn("awaiting_response"), upNext: waiting("a") });
  const writtenAt = (from: SessionState) =>
    drain({ ...from, pause: null }, "turn-2", now + 10).state.spoken[0]?.context.writtenAt;
  expect(writtenAt(state)).toBe(now);
  const edit = {
    messageId: "a",
    by: byMember(),
    version: null,
    content: "b",
    retained: null,
    added: [],
    editing: null,
  };
  const edited = editQueued(state, edit, { hasLeft: false }, now + 5);
  expect(isRefusal(edited) ? null : writtenAt(edited.state)).toBe(now + 5);
});
