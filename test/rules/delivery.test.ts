import { describe, expect, it } from "vitest";
import { type SendFacts, send, sendQueued } from "../../src/rules/delivery.ts";
import { upNextSize } from "../../src/rules/limits.ts";
import { textMessage } from "../../src/rules/message.ts";
import type { RefusalCode } from "../../src/rules/refusal.ts";
import type { Author, Session, SessionStatus } from "../../src/rules/session.ts";
import type { TurnStatus } from "../../src/rules/turn.ts";
import { pauseReasons, type QueuedMessage } from "../../src/rules/up-next.ts";
import {
  accepted,
  cron,
  member,
  now,
  otherSession,
  refusalCode,
  relay,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../support/session-state.ts";

const bob = member("usr_bob");

describe("what the session needs", () => {
  const everyone: [string, Author][] = [
    ["a member", member()],
    ["a cron", cron],
    ["another session", otherSession],
    ["a chat-tool relay", relay],
  ];
  const refusedTo: Record<SessionStatus, (sender: string) => RefusalCode | null> = {
    backlog: () => "BAD_REQUEST",
    active: () => null,
    "under-review": (sender) => (sender === "a member" ? null : "SESSION_UNDER_REVIEW"),
    completed: () => "BAD_REQUEST",
    archived: () => "BAD_REQUEST",
  };
  const rows = (Object.keys(refusedTo) as SessionStatus[]).flatMap((status) =>
    everyone.map(([sender, author]) => ({ sender, author, status, code: refusedTo[status](sender) })),
  );

  it.each(rows)("$sender sends into a session that is $status: $code", ({ author, status, code }) => {
    const state = sessionState({ session: { status } });
    const decision = send(state, sendCommand({ author }), sendFacts(), now);
    expect(refusalCode(decision)).toBe(code);
    if (code === null) expect(accepted(decision).state.session.status).toBe("active");
  });

  it("a session without a branch takes no message", () => {
    const state = sessionState({ session: { branch: null } });
    expect(refusalCode(send(state, sendCommand(), sendFacts(), now))).toBe("BAD_REQUEST");
  });
});

describe("a message", () => {
  it.each<[TurnStatus | null]>([[null], ["completed"], ["failed"], ["cancelled"], ["awaiting_response"]])(
    "starts a turn when the last one is %s",
    (status) => {
      const state = sessionState({ turn: status && turn(status, { number: 3 }) });
      const { state: after, answer, effects } = accepted(send(state, sendCommand(), sendFacts(), now));
      const number = status === null ? 1 : 4;
      expect(answer).toEqual({ delivery: "job", turnId: "turn-9", turnNumber: number });
      expect(after.turn).toMatchObject({ id: "turn-9", number, status: "pending", sender: member() });
      expect(after.spoken).toMatchObject([{ id: "message-1", turnId: "turn-9", content: "Fix it." }]);
      expect(effects.map((effect) => effect.do)).toEqual(["remind", "start-turn", "project-turn", "project-session"]);
    },
  );

  it.each<[TurnStatus]>([["pending"], ["running"]])("waits Up next while a turn is %s", (status) => {
    const state = sessionState({ turn: turn(status), upNext: waiting("a") });
    const { state: after, answer, effects } = accepted(send(state, sendCommand({ author: bob }), sendFacts(), now));
    expect(answer).toEqual({ delivery: "queued", queuedMessageId: "message-1" });
    expect(after.upNext.map(({ id }) => id)).toEqual(["a", "message-1"]);
    expect(after.upNext[1]).toEqual({
      id: "message-1",
      ...textMessage("Fix it."),
      author: bob,
      version: 1,
      editing: null,
      createdAt: now,
    });
    expect([after.turn, after.spoken]).toEqual([state.turn, []]);
    expect(effects).toEqual([{ do: "project-session" }]);
  });

  it("is refused when Up next is full, messages handed to the turn counted, but not when it starts a turn", () => {
    const steer = { steerId: "s", turnId: "turn-1", message: waiting("steered")[0] as QueuedMessage };
    const nearly = waiting(...Array.from({ length: upNextSize - 1 }, (_, place) => `m${place}`));
    const steered = sessionState({ turn: turn("running"), upNext: nearly, steers: [steer] });
    expect(refusalCode(send(steered, sendCommand(), sendFacts(), now))).toBe("QUEUE_FULL");
    const full = waiting(...Array.from({ length: upNextSize }, (_, place) => `m${place}`));
    const busy = sessionState({ turn: turn("running"), upNext: full });
    expect(refusalCode(send(busy, sendCommand(), sendFacts(), now))).toBe("QUEUE_FULL");
    const idle = sessionState({ turn: turn("failed"), upNext: full, pause: { reason: "failed", pausedAt: now } });
    expect(accepted(send(idle, sendCommand(), sendFacts(), now)).answer.delivery).toBe("job");
  });
});

describe("what its sandbox has to be for a message that starts a turn", () => {
  const rows: [string, Partial<SendFacts>, RefusalCode | null][] = [
    ["runs", { sandbox: "running" }, null],
    [
      "runs, at the limit and while the project deploys",
      { sandbox: "running", isAtSandboxLimit: true, isDeploying: true },
      null,
    ],
    ["starts", { sandbox: "starting" }, "SANDBOX_STARTING"],
    ["is paused or was never there", { sandbox: null }, null],
    ["is paused or was never there, and the project deploys", { sandbox: null, isDeploying: true }, "DEPLOY_ACTIVE"],
    ["is paused or was never there, at the limit", { sandbox: null, isAtSandboxLimit: true }, "SANDBOX_LIMIT_REACHED"],
    ["runs, and the workspace is blocked on billing", { isBlockedOnBilling: true }, "CREDIT_LIMIT_REACHED"],
  ];

  it.each(rows)("it %s: %s", (_, facts, code) => {
    const state = sessionState({ turn: turn("completed") });
    expect(refusalCode(send(state, sendCommand(), sendFacts(facts), now))).toBe(code);
  });

  it.each(["starting", null] as const)("does not matter to one that waits: %s", (sandbox) => {
    const state = sessionState({ turn: turn("pending") });
    const facts = sendFacts({ sandbox, isAtSandboxLimit: true, isDeploying: true });
    expect(accepted(send(state, sendCommand(), facts, now)).answer.delivery).toBe("queued");
  });
});

describe("while a runtime command is under way", () => {
  const command = {
    id: "c",
    command: "/compact",
    instructions: null,
    status: "running",
    error: null,
    startedAt: now,
  } as const;

  it("no message is taken", () => {
    const state = sessionState({ session: { command } });
    expect(refusalCode(send(state, sendCommand(), sendFacts(), now))).toBe("COMMAND_IN_FLIGHT");
  });

  it("that has ended, messages are", () => {
    const state = sessionState({ session: { command: { ...command, status: "failed" } } });
    expect(accepted(send(state, sendCommand(), sendFacts(), now)).answer.delivery).toBe("job");
  });
});

describe("retryFailedJobId", () => {
  const failed = (errorCode: string | null, id = "turn-1") => sessionState({ turn: turn("failed", { id, errorCode }) });
  const rows: [string, ReturnType<typeof sessionState>, boolean][] = [
    ["that names the last job, which grew too long, starts the agent fresh", failed("context_window_exceeded"), true],
    ["that names a job which failed for another reason is ignored", failed("provider_overloaded"), false],
    ["that names an older job is ignored", failed("context_window_exceeded", "turn-2"), false],
    ["that names a job which completed is ignored", sessionState({ turn: turn("completed") }), false],
    ["in a session without a job is ignored", sessionState(), false],
  ];

  it.each(rows)("%s", (_, state, isHandover) => {
    const { turn: started } = accepted(send(state, sendCommand({ retriedTurnId: "turn-1" }), sendFacts(), now)).state;
    expect(started).toMatchObject({ isHandover, conversationId: isHandover ? "turn-9" : "conversation-1" });
  });
});

describe("a waiting message that is sent now", () => {
  const actor = { userId: "usr_ada", author: member(), role: "member" as const };
  const facts = { ...sendFacts(), hasLeft: false };
  const sendNow = (state: ReturnType<typeof sessionState>, changes = {}) =>
    sendQueued(state, { messageId: "b", turnId: "turn-9", actor, ...changes }, facts, now);

  it("starts a turn ahead of the rest and ends the pause", () => {
    const pause = { reason: "failed", pausedAt: now - 1 } as const;
    const { state, answer } = accepted(
      sendNow(sessionState({ turn: turn("failed"), upNext: waiting("a", "b", "c"), pause })),
    );
    expect(answer).toEqual({ delivery: "job", turnId: "turn-9", turnNumber: 2 });
    expect([state.upNext.map(({ id }) => id), state.pause]).toEqual([["a", "c"], null]);
    expect(state.spoken.map(({ id }) => id)).toEqual(["b"]);
  });

  it.each<[string, Partial<Parameters<typeof sessionState>[0]>, object, RefusalCode]>([
    ["while a turn runs", { turn: turn("running") }, {}, "JOB_IN_PROGRESS"],
    ["by somebody else", {}, { actor: { ...actor, userId: "usr_bob", author: bob } }, "FORBIDDEN"],
    [
      "by an admin, for it is its author's",
      {},
      { actor: { userId: "usr_bob", author: bob, role: "admin" } },
      "FORBIDDEN",
    ],
    ["in a session that has ended", { session: { status: "archived" } }, {}, "BAD_REQUEST"],
    ["that is not there", {}, { messageId: "z" }, "NOT_FOUND"],
  ])("%s is refused", (_, changes, command, code) => {
    expect(refusalCode(sendNow(sessionState({ upNext: waiting("a", "b"), ...changes }), command))).toBe(code);
  });
});

describe("a pause of Up next", () => {
  it.each(pauseReasons)("after %s ends with a message that starts a turn, and what waits keeps its order", (reason) => {
    const state = sessionState({
      turn: turn("completed"),
      upNext: waiting("a", "b"),
      pause: { reason, pausedAt: now - 1 },
    });
    const after = accepted(send(state, sendCommand(), sendFacts(), now)).state;
    expect(after.pause).toBeNull();
    expect(after.upNext).toEqual(state.upNext);
    expect(after.spoken.map(({ id }) => id)).toEqual(["message-1"]);
  });

  it("stands when the message only waits", () => {
    const pause = { reason: "under_review", pausedAt: now - 1 } as const;
    const state = sessionState({ turn: turn("running"), pause });
    expect(accepted(send(state, sendCommand(), sendFacts(), now)).state.pause).toEqual(pause);
  });
});

describe("runningJobId", () => {
  const command = sendCommand({ runningTurnId: "turn-1" });

  it("that names a turn a person stopped refuses the message", () => {
    const state = sessionState({ turn: turn("cancelled") });
    expect(refusalCode(send(state, command, sendFacts({ runningTurnWasStopped: true }), now))).toBe("JOB_STOPPED");
  });

  it("that names any other turn, or none of the session, is ignored", () => {
    const decision = send(sessionState({ turn: turn("completed") }), command, sendFacts(), now);
    expect(accepted(decision).answer.delivery).toBe("job");
  });

  it("that names a stopped turn does not matter while another runs: the message waits", () => {
    const state = sessionState({ turn: turn("running", { id: "turn-2" }) });
    const decision = send(state, command, sendFacts({ runningTurnWasStopped: true }), now);
    expect(accepted(decision).answer.delivery).toBe("queued");
  });

  it("does not matter where the message could not go anyway", () => {
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
    const state = sessionState({ session: { model: current } });
    const after = accepted(send(state, sendCommand({ model: asked }), sendFacts(), now)).state;
    expect([after.turn?.model, after.session.model]).toEqual([ranOn, ranOn]);
  });

  it("is the Assignee's default before the workspace's", () => {
    const state = sessionState({ session: { model: null } });
    const facts = sendFacts({
      assigneeDefaultModel: "anthropic:haiku__low",
      workspaceDefaultModel: "anthropic:sonnet__low",
    });
    expect(accepted(send(state, sendCommand(), facts, now)).state.turn?.model).toBe("anthropic:haiku__low");
  });

  it("that a waiting message asks for is ignored", () => {
    const state = sessionState({ turn: turn("running") });
    const after = accepted(send(state, sendCommand({ model: "anthropic:sonnet__high" }), sendFacts(), now)).state;
    expect(after.session.model).toBe("anthropic:opus__high");
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

  it.each(rows)("%s, whether the message starts a turn or waits", (_, assignee, author, after) => {
    for (const present of [null, turn("running")]) {
      const state = sessionState({ turn: present, session: { assignee } });
      const sent = accepted(send(state, sendCommand({ author }), sendFacts(), now));
      expect(sent.state.session.assignee).toEqual(after);
      expect(sent.effects).toContainEqual({ do: "project-session" });
    }
  });
});
