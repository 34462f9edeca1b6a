import { describe, expect, it } from "vitest";
import type { RefusalCode } from "../../../src/rules/refusal.ts";
import { commandDeadlineMs, recordCommandEnd, runCommand } from "../../../src/session/rules/runtime-command.ts";
import { resumeQueue, send, sendQueued } from "../../../src/session/rules/send.ts";
import type { SessionState } from "../../../src/session/rules/session.ts";
import { updateSession } from "../../../src/session/rules/update.ts";
import {
  accepted,
  byMember,
  now,
  refusalCode,
  sendCommand,
  sendFacts,
  sessionState,
  turn,
  waiting,
} from "../../support/session-state.ts";

const mayWake = { sandbox: null, isHeldByDeploy: false } as const;
const said = { id: "command-1", command: "/compact", instructions: "Keep the names." } as const;
const clear = { ...mayWake, id: "command-1", command: "/clear", instructions: null } as const;
const compact = { ...mayWake, ...said } as const;
const pause = { reason: "failed", pausedAt: now - 1 } as const;
const running = { ...said, status: "running", error: null, startedAt: now } as const;

describe("a command", () => {
  const rows: [string, Parameters<typeof sessionState>[0], RefusalCode | null][] = [
    ["in an Active session", {}, null],
    ["whose agent waits for an answer", { turn: turn("awaiting_response") }, null],
    ["in a session Under Review", { session: { status: "under-review" } }, "BAD_REQUEST"],
    ["in the Backlog", { session: { status: "backlog" } }, "BAD_REQUEST"],
    ["in a session that was completed", { session: { status: "completed" } }, "BAD_REQUEST"],
    ["in a session that was archived", { session: { status: "archived" } }, "BAD_REQUEST"],
    ["while a turn is pending", { turn: turn("pending") }, "JOB_ACTIVE"],
    ["while a turn runs", { turn: turn("running") }, "JOB_ACTIVE"],
    ["while another command runs", { session: { command: running } }, "COMMAND_IN_FLIGHT"],
  ];

  it.each(rows)("%s: %s", (_, changes, code) => {
    for (const command of [clear, compact])
      expect(refusalCode(runCommand(sessionState(changes), command, now))).toBe(code);
  });
});

describe("while a member deploys the project", () => {
  const held = { isHeldByDeploy: true };
  it.each<[string, Parameters<typeof runCommand>[1], RefusalCode | null]>([
    ["/compact is refused on a paused sandbox", { ...compact, ...held }, "DEPLOY_ACTIVE"],
    ["/compact runs on a running sandbox", { ...compact, ...held, sandbox: "running" }, null],
    ["/compact runs on a starting sandbox", { ...compact, ...held, sandbox: "starting" }, null],
    ["/clear wakes nothing, and runs", { ...clear, ...held }, null],
  ])("%s", (_, command, code) => {
    expect(refusalCode(runCommand(sessionState({ turn: turn("completed") }), command, now))).toBe(code);
  });

  it("/compact without messages wakes nothing, and is done", () => {
    expect(refusalCode(runCommand(sessionState(), { ...compact, ...held }, now))).toBe(null);
  });
});

describe("/clear", () => {
  it("starts another conversation of the agent without the earlier messages, and is done immediately", () => {
    const { state, result, effects } = accepted(runCommand(sessionState({ turn: turn("completed") }), clear, now));
    expect(state.chat).toMatchObject({ conversationId: "command-1", clearedAt: now });
    expect(state.session).toMatchObject({
      updatedAt: now,
      command: {
        id: "command-1",
        command: "/clear",
        instructions: null,
        status: "completed",
        error: null,
        startedAt: now,
      },
    });
    expect([result.status, effects]).toEqual(["running", [{ type: "index-session" }]]);
  });
});

describe("after /clear", () => {
  const before = sessionState({ turn: turn("failed"), upNext: waiting("a"), pause });
  const cleared = accepted(runCommand(before, clear, now)).state;

  it("queued messages keep waiting, and the pause of the queue does not change", () => {
    expect([cleared.chat.upNext, cleared.chat.pause, cleared.chat.turn]).toEqual([
      before.chat.upNext,
      pause,
      before.chat.turn,
    ]);
  });

  it("the next turn starts the new conversation, and the one after continues it", () => {
    const next = accepted(send(cleared, sendCommand(), sendFacts(), now)).state;
    expect(next.chat.turn).toMatchObject({ conversationId: "command-1", isHandover: false });
    const ended = { ...next, turn: turn("completed", { id: "turn-9", conversationId: "command-1" }) };
    const later = accepted(send(ended, sendCommand({ turnId: "turn-10" }), sendFacts(), now)).state;
    expect(later.chat.turn).toMatchObject({ conversationId: "command-1", isHandover: false });
  });
});

describe("while a command runs", () => {
  const upNext = waiting("a");
  const by = byMember();
  const facts = { ...sendFacts(), pullRequest: null, hasLeft: false };
  const attempts: [string, (state: SessionState) => unknown][] = [
    ["no message is taken", (state) => send(state, sendCommand(), facts, now)],
    ["no waiting one is sent", (state) => sendQueued(state, { messageId: "a", turnId: "turn-9", by }, facts, now)],
    ["Up next is not resumed", (state) => resumeQueue(state, { turnId: "turn-9", by }, facts, now)],
    ["no other command begins", (state) => runCommand(state, { ...clear, id: "command-2" }, now)],
    [
      "the model stays",
      (state) => updateSession(state, { model: "anthropic:sonnet__high" }, { ...facts, by: byMember() }, now),
    ],
    [
      "the session does not go Under Review",
      (state) => updateSession(state, { status: "under-review" }, { ...facts, by: byMember() }, now),
    ],
    [
      "the session does not end",
      (state) => updateSession(state, { status: "archived" }, { ...facts, by: byMember() }, now),
    ],
  ];

  it.each(attempts)("%s", (_, attempt) => {
    const during = sessionState({ upNext, pause, session: { command: running } });
    expect(refusalCode(attempt(during))).toBe("COMMAND_IN_FLIGHT");
    for (const status of ["completed", "failed"] as const) {
      const ended = sessionState({ upNext, pause, session: { command: { ...running, status } } });
      expect(refusalCode(attempt(ended))).toBeNull();
    }
  });

  it("other fields can change", () => {
    const during = sessionState({ session: { command: running } });
    expect(
      accepted(updateSession(during, { title: "Other" }, { ...facts, by: byMember() }, now)).state.session.title,
    ).toBe("Other");
  });
});

describe("/compact", () => {
  it("calls the sandbox, with a deadline, and runs until its result", () => {
    const { state, effects } = accepted(runCommand(sessionState({ turn: turn("completed") }), compact, now));
    expect(state.chat).toMatchObject({ conversationId: "conversation-1", clearedAt: null });
    expect(state.session.updatedAt).toBe(now);
    expect(state.session.command).toEqual(running);
    expect(effects).toEqual([
      { type: "remind", name: "command-overdue", at: now + commandDeadlineMs },
      { type: "compact", id: "command-1" },
    ]);
  });

  it("does nothing without messages", () => {
    const { state, effects } = accepted(runCommand(sessionState(), compact, now));
    expect([state.session.command?.status, effects]).toEqual(["completed", []]);
    expect(state.session.updatedAt).toBe(now);
  });
});

describe("the end of a command", () => {
  const state = () => sessionState({ session: { command: running } });

  it.each([
    [null, "completed"],
    ["It broke.", "failed"],
  ] as const)("with the error %o is stored: %s, and the sandbox may go idle", (error, status) => {
    const { state: after, effects } = accepted(recordCommandEnd(state(), { commandId: "command-1", error }, now));
    expect(after.session).toMatchObject({ command: { status, error }, updatedAt: now });
    expect(effects).toEqual([
      { type: "forget", name: "command-overdue" },
      { type: "release-sandbox", id: "command-1" },
    ]);
  });

  it("of another one, or twice, changes nothing", () => {
    const before = state();
    expect(accepted(recordCommandEnd(before, { commandId: "command-0", error: null }, now)).state).toBe(before);
    const ended = accepted(recordCommandEnd(before, { commandId: "command-1", error: null }, now)).state;
    expect(accepted(recordCommandEnd(ended, { commandId: "command-1", error: "Late." }, now)).state).toBe(ended);
  });
});
