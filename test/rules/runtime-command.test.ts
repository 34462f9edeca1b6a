import { describe, expect, it } from "vitest";
import type { RefusalCode } from "../../src/rules/refusal.ts";
import { commandDeadlineMs, commandEnded, runCommand } from "../../src/rules/runtime-command.ts";
import { accepted, now, refusalCode, sessionState, turn } from "../support/session-state.ts";

const clear = { id: "command-1", command: "/clear", instructions: null } as const;
const compact = { id: "command-1", command: "/compact", instructions: "Keep the names." } as const;
const running = { ...compact, status: "running", error: null, startedAt: now } as const;

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

describe("/clear", () => {
  it("begins another conversation of the agent, to which nothing said before is told, and is done at once", () => {
    const { state, answer, effects } = accepted(runCommand(sessionState({ turn: turn("completed") }), clear, now));
    expect(state.session).toMatchObject({
      conversationId: "command-1",
      clearedAt: now,
      command: { status: "completed" },
    });
    expect([answer.status, effects]).toEqual(["running", [{ do: "project-session" }]]);
  });
});

describe("/compact", () => {
  it("asks the sandbox, with a deadline, and is under way until it is told", () => {
    const { state, effects } = accepted(runCommand(sessionState({ turn: turn("completed") }), compact, now));
    expect(state.session.command).toMatchObject({ status: "running", instructions: "Keep the names." });
    expect(effects).toEqual([
      { do: "remind", name: "command-overdue", at: now + commandDeadlineMs },
      { do: "compact", commandId: "command-1" },
    ]);
  });

  it("has nothing to do where nothing was said", () => {
    const { state, effects } = accepted(runCommand(sessionState(), compact, now));
    expect([state.session.command?.status, effects]).toEqual(["completed", []]);
  });
});

describe("the end of a command", () => {
  const state = () => sessionState({ session: { command: running } });

  it.each([
    [null, "completed"],
    ["It broke.", "failed"],
  ] as const)("with the error %o is kept: %s, and the sandbox may go idle", (error, status) => {
    const { state: after, effects } = accepted(commandEnded(state(), { commandId: "command-1", error }, now));
    expect(after.session.command).toMatchObject({ status, error });
    expect(effects).toContainEqual({ do: "release-sandbox", turnId: "command-1" });
  });

  it("of another one, or twice, changes nothing", () => {
    const before = state();
    expect(accepted(commandEnded(before, { commandId: "command-0", error: null }, now)).state).toBe(before);
    const ended = accepted(commandEnded(before, { commandId: "command-1", error: null }, now)).state;
    expect(accepted(commandEnded(ended, { commandId: "command-1", error: "Late." }, now)).state).toBe(ended);
  });
});
