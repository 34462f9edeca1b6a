import { describe, expect, it } from "vitest";
import type { Author } from "../../../src/access/rules/actor.ts";
import { createTextMessage } from "../../../src/chat/rules/message.ts";
import type { QueuedMessage } from "../../../src/chat/rules/queue.ts";
import { pauseReasons } from "../../../src/chat/rules/queue-pause.ts";
import type { Turn, TurnStatus } from "../../../src/chat/rules/turn.ts";
import { queueSize } from "../../../src/rules/limits.ts";
import { isRefusal, type RefusalCode } from "../../../src/rules/refusal.ts";
import { send } from "../../../src/session/rules/send.ts";
import type { Session } from "../../../src/session/rules/session.ts";
import { endTurn } from "../../../src/session/rules/turn-end.ts";
import {
  accepted,
  byAuthor,
  cron,
  member,
  now,
  refusalCode,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const bob = member("usr_bob");

describe("a message", () => {
  it.each<[TurnStatus | null]>([[null], ["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "starts a turn when the last one is %s",
    (status) => {
      const state = sessionState({ turn: status && turn(status, { number: 3 }) });
      const { state: after, result, effects } = accepted(send(state, sendCommand(), sendFacts(), now));
      const number = status === null ? 1 : 4;
      expect(result).toEqual({ delivery: "job", turnId: "turn-9", turnNumber: number });
      expect(after.chat.turn).toMatchObject({ id: "turn-9", number, status: "pending", sender: member() });
      expect(after.chat.newMessages).toMatchObject([{ id: "message-1", turnId: "turn-9", content: "Fix it." }]);
      expect(effects.map((effect) => effect.type)).toEqual(["remind", "start-turn", "index-turn", "index-session"]);
    },
  );

  it.each<[TurnStatus]>([["pending"], ["running"]])("is queued while a turn is %s", (status) => {
    const state = sessionState({ turn: turn(status), upNext: waiting("a") });
    const {
      state: after,
      result,
      effects,
    } = accepted(send(state, sendCommand({ by: byAuthor(bob) }), sendFacts(), now));
    expect(result).toEqual({ delivery: "queued", queuedMessageId: "message-1" });
    expect(after.chat.upNext.map(({ id }) => id)).toEqual(["a", "message-1"]);
    expect(after.chat.upNext[1]).toEqual({
      id: "message-1",
      ...createTextMessage("Fix it."),
      author: bob,
      version: 1,
      editing: null,
      createdAt: now,
    });
    expect([after.chat.turn, after.chat.newMessages]).toEqual([state.chat.turn, []]);
    expect(effects).toEqual([{ type: "index-session" }]);
  });

  it("is refused if the queue is full, including steers, but not if it starts a turn", () => {
    const steer = { steerId: "s", turnId: "turn-1", message: waiting("steered")[0] as QueuedMessage };
    const nearly = waiting(...Array.from({ length: queueSize - 1 }, (_, place) => `m${place}`));
    const steered = sessionState({ turn: turn("running"), upNext: nearly, steers: [steer] });
    expect(refusalCode(send(steered, sendCommand(), sendFacts(), now))).toBe("QUEUE_FULL");
    const full = waiting(...Array.from({ length: queueSize }, (_, place) => `m${place}`));
    const busy = sessionState({ turn: turn("running"), upNext: full });
    expect(refusalCode(send(busy, sendCommand(), sendFacts(), now))).toBe("QUEUE_FULL");
    const idle = sessionState({ turn: turn("failed"), upNext: full, pause: { reason: "failed", pausedAt: now } });
    expect(accepted(send(idle, sendCommand(), sendFacts(), now)).result.delivery).toBe("job");
  });
});

describe("a message whose only content is a review comment", () => {
  const body = { ...createTextMessage(" "), context: { preview: null, reviewCommentIds: ["c-1"] } };
  it.each<[string, unknown[], RefusalCode | null]>([
    ["resolved", [], "VALIDATION_ERROR"],
    ["unresolved", ["c-1"], null],
  ])("with the comment %s", (_, reviewComments, code) => {
    const decision = send(sessionState(), sendCommand({ body }), sendFacts({ reviewComments }), now);
    expect(isRefusal(decision) ? decision.code : null).toBe(code);
  });
});

describe("answers", () => {
  const option = (title: string) => ({ title, description: "", isRecommended: false });
  const questions = [{ topic: "Colour", question: "Which?", options: [option("red"), option("blue")] }];
  const answers = [{ question: 0, option: "blue" }];

  it("are part of the message that starts the next turn", () => {
    const state = sessionState({ turn: turn("awaiting_response") });
    const { state: after } = accepted(send(state, sendCommand({ answers }), { ...sendFacts(), questions }, now));
    expect(after.chat.newMessages[0]?.context.answers).toEqual([{ question: "Which?", option: "blue" }]);
  });

  it.each(["completed", "running"] as const)("are refused if the newest turn is %s: no question is open", (status) => {
    const state = sessionState({ turn: turn(status) });
    expect(refusalCode(send(state, sendCommand({ answers }), sendFacts(), now))).toBe("BAD_REQUEST");
  });
});

describe("retryFailedJobId", () => {
  const failed = (errorCode: string | null, id = "turn-1") => sessionState({ turn: turn("failed", { id, errorCode }) });
  const rows: [string, ReturnType<typeof sessionState>, boolean][] = [
    ["that names the last job, which grew too long, starts the agent fresh", failed("context_window_exceeded"), true],
    ["that names a job which failed for another reason is ignored", failed("provider_overloaded"), false],
    ["that names an older job is ignored", failed("context_window_exceeded", "turn-2"), false],
    ["that names a job which failed without a code is ignored", failed(null), false],
    ["that names a job which completed is ignored", sessionState({ turn: turn("completed") }), false],
    ["that names a job which was stopped is ignored", sessionState({ turn: turn("cancelled") }), false],
    ["that names a job which asked is ignored", sessionState({ turn: turn("awaiting_response") }), false],
    ["in a session without a job is ignored", sessionState(), false],
  ];

  it.each(rows)("%s", (_, state, isHandover) => {
    const {
      chat: { turn: started },
    } = accepted(send(state, sendCommand({ retriedTurnId: "turn-1" }), sendFacts(), now)).state;
    expect(started).toMatchObject({ isHandover, conversationId: isHandover ? "turn-9" : "conversation-1" });
  });

  it("that is not sent keeps the agent's conversation", () => {
    const {
      chat: { turn: started },
    } = accepted(send(failed("context_window_exceeded"), sendCommand(), sendFacts(), now)).state;
    expect(started).toMatchObject({ isHandover: false, conversationId: "conversation-1" });
  });
});

describe("a pause of the queue", () => {
  it.each(pauseReasons)(
    "after %s ends with a message that starts a turn, and the queued ones keep their order",
    (reason) => {
      const state = sessionState({
        turn: turn("completed"),
        upNext: waiting("a", "b"),
        pause: { reason, pausedAt: now - 1 },
      });
      const after = accepted(send(state, sendCommand(), sendFacts(), now)).state;
      expect(after.chat.pause).toBeNull();
      expect(after.chat.upNext).toEqual(state.chat.upNext);
      expect(after.chat.newMessages.map(({ id }) => id)).toEqual(["message-1"]);
    },
  );

  it("continues if the message is only queued", () => {
    const pause = { reason: "under_review", pausedAt: now - 1 } as const;
    const state = sessionState({ turn: turn("running"), pause });
    expect(accepted(send(state, sendCommand(), sendFacts(), now)).state.chat.pause).toEqual(pause);
  });
});

describe("runningJobId", () => {
  const command = sendCommand({ runningTurnId: "turn-1" });

  it("that names a turn a person stopped refuses the message", () => {
    const state = sessionState({ turn: turn("cancelled") });
    expect(refusalCode(send(state, command, sendFacts({ runningTurnWasStopped: true }), now))).toBe("JOB_STOPPED");
  });

  it.each(["completed", "failed", "awaiting_response"] as const)(
    "that names a turn that is %s is ignored",
    (status) => {
      const decision = send(sessionState({ turn: turn(status) }), command, sendFacts(), now);
      expect(accepted(decision).result.delivery).toBe("job");
    },
  );

  it.each<[string, Partial<Turn>, RefusalCode | null]>([
    ["that is being stopped", { stopRequestedAt: now - 1 }, "JOB_STOPPED"],
    ["that runs", {}, null],
    ["that ran before another one, which is being stopped", { id: "turn-2", stopRequestedAt: now - 1 }, null],
  ])("that names a turn %s: %s", (_, changes, code) => {
    const decision = send(sessionState({ turn: turn("running", changes) }), command, sendFacts(), now);
    expect(refusalCode(decision)).toBe(code);
    if (code === null) expect(accepted(decision).result.delivery).toBe("queued");
  });

  it("that names a stopped turn is ignored while another runs: the message is queued", () => {
    const state = sessionState({ turn: turn("running", { id: "turn-2" }) });
    const decision = send(state, command, sendFacts({ runningTurnWasStopped: true }), now);
    expect(accepted(decision).result.delivery).toBe("queued");
  });

  it("is ignored if the message is refused anyway", () => {
    const state = sessionState({ session: { status: "archived" } });
    expect(refusalCode(send(state, command, sendFacts({ runningTurnWasStopped: true }), now))).toBe("BAD_REQUEST");
  });
});

describe("the model", () => {
  const rows: { promise: string; asked: string | null; current: string | null; ranOn: string }[] = [
    { promise: "that is asked for", asked: "anthropic:sonnet__high", current: null, ranOn: "anthropic:sonnet__high" },
    {
      promise: "of the session, when an unknown one is asked for",
      asked: "anthropic:nonesuch__high",
      current: "anthropic:haiku__high",
      ranOn: "anthropic:haiku__high",
    },
    {
      promise: "of the session, when one is asked for that the Assignee cannot run",
      asked: "openai:gpt__high",
      current: "anthropic:haiku__high",
      ranOn: "anthropic:haiku__high",
    },
    { promise: "by default, when the session has none yet", asked: null, current: null, ranOn: "anthropic:opus__high" },
  ];

  it.each(rows)("is the one $promise, and the session keeps it", ({ asked, current, ranOn }) => {
    const state = sessionState({ model: current });
    const after = accepted(send(state, sendCommand({ model: asked }), sendFacts(), now)).state;
    expect([after.chat.turn?.model, after.chat.model]).toEqual([ranOn, ranOn]);
  });

  it("is the Assignee's default before the workspace's", () => {
    const state = sessionState({ model: null });
    const facts = sendFacts({
      assigneeDefaultModel: "anthropic:haiku__low",
      workspaceDefaultModel: "anthropic:sonnet__low",
    });
    expect(accepted(send(state, sendCommand(), facts, now)).state.chat.turn?.model).toBe("anthropic:haiku__low");
  });

  it("that a queued message asks for is ignored, even when its own turn starts", () => {
    const state = sessionState({ turn: turn("running") });
    const after = accepted(send(state, sendCommand({ model: "anthropic:sonnet__high" }), sendFacts(), now)).state;
    expect(after.chat.model).toBe("anthropic:opus__high");
    const end = { turnId: "turn-1", end: { status: "completed" } as const, nextTurnId: "turn-2" };
    const next = accepted(endTurn(after, end, now)).state;
    expect([next.chat.turn?.id, next.chat.turn?.model]).toEqual(["turn-2", "anthropic:opus__high"]);
  });

  const both = sendFacts({ runnable: new Set(["anthropic", "openai"]) });
  it.each([
    ["of another provider starts the agent fresh, with what was said as text", "openai:gpt__high", "turn-9", true],
    ["of the same provider goes on in its conversation", "anthropic:sonnet__high", "conversation-1", false],
  ])("%s", (_, model, conversationId, isHandover) => {
    const state = sessionState({ turn: turn("completed") });
    const after = accepted(send(state, sendCommand({ model }), both, now)).state;
    expect(after.chat.turn).toMatchObject({ model, conversationId, isHandover });
    expect(after.chat).toMatchObject({ model, conversationId });
  });

  it("of another provider has no handover without messages, or since a clear", () => {
    const cleared = { turn: turn("completed"), conversationId: "command-1", clearedAt: now };
    for (const state of [sessionState(), sessionState(cleared)]) {
      const after = accepted(send(state, sendCommand({ model: "openai:gpt__high" }), both, now)).state;
      const { conversationId } = state.chat;
      expect(after.chat.turn).toMatchObject({ model: "openai:gpt__high", conversationId, isHandover: false });
    }
  });

  it("that the Assignee can no longer run stays the session's, and its turn reports it", () => {
    const state = sessionState({ model: "openai:gpt__high" });
    expect(accepted(send(state, sendCommand(), sendFacts(), now)).state.chat.turn?.model).toBe("openai:gpt__high");
  });
});

describe("the Assignee", () => {
  const bobAssigned = { kind: "member", userId: "usr_bob", name: "usr_bob", imageUrl: null } as const;
  const service = { kind: "service" } as const;
  const rows: [string, Session["assignee"], Author, Session["assignee"]][] = [
    ["of an unassigned session becomes the member who sends", null, bob, bobAssigned],
    ["stays open when no member sends", null, cron, null],
    ["that a session has stays", bobAssigned, member(), bobAssigned],
    ["stays the service, until a member reassigns it", service, bob, service],
  ];

  it.each(rows)("%s, whether the message starts a turn or is queued", (_, assignee, author, after) => {
    for (const present of [null, turn("running")]) {
      const state = sessionState({ turn: present, session: { assignee } });
      const sent = accepted(send(state, sendCommand({ by: byAuthor(author) }), sendFacts(), now));
      expect(sent.state.session.assignee).toEqual(after);
      expect(sent.effects).toContainEqual({ type: "index-session" });
    }
  });
});
