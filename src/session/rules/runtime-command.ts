// A runtime command: `/clear` gives the agent a fresh conversation, `/compact` has it summarize its
// conversation. Nothing else happens in the session while one is in flight.

import { isUnfinished } from "../../chat/rules/turn.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { checkWake, type SandboxFacts } from "./send.ts";
import type { Session, SessionState } from "./session.ts";

export const runtimeCommands = ["/clear", "/compact"] as const;
export type RuntimeCommand = (typeof runtimeCommands)[number];

export const commandStatuses = ["running", "completed", "failed"] as const;
export type CommandStatus = (typeof commandStatuses)[number];

/** One run of a command. */
export interface RuntimeCommandRun {
  id: string;
  command: RuntimeCommand;
  instructions: string | null;
  status: CommandStatus;
  error: string | null;
  startedAt: number;
}

/** A command, and whether its sandbox may be woken. */
export interface CommandRequest extends Pick<SandboxFacts, "sandbox" | "isHeldByDeploy"> {
  command: RuntimeCommand;
  instructions: string | null;
}

/** The deadline of a command. */
export const commandDeadlineMs = 6 * 60_000;

export function isCommandRunning({ command }: Session): boolean {
  return command?.status === "running";
}

/** Refuses COMMAND_IN_FLIGHT while a runtime command is in flight. */
export function checkNoCommand(session: Session): Refusal | null {
  return isCommandRunning(session) ? refuse("COMMAND_IN_FLIGHT") : null;
}

/**
 * Runs a command (Part 1, `runtime-commands`). After `/clear` the agent of the next turn does not
 * get the earlier messages; they stay readable. Refuses BAD_REQUEST for a session that is not
 * Active, JOB_ACTIVE while a turn runs, and DEPLOY_ACTIVE if `/compact` would wake the sandbox of a
 * project that a member is deploying.
 */
export function runCommand(
  state: SessionState,
  { sandbox, isHeldByDeploy, ...command }: CommandRequest & { id: string },
  now: number,
): Decision<SessionState, RuntimeCommandRun, SessionEffect> {
  const { session, chat } = state;
  if (session.status !== "active")
    return refuse("BAD_REQUEST", `Runtime commands run only in active sessions, and this one is ${session.status}.`);
  const busy = checkNoCommand(session);
  if (busy) return busy;
  if (isUnfinished(chat.turn)) return refuse("JOB_ACTIVE", "A turn is running. Run the command when it has ended.");
  const run: RuntimeCommandRun = { ...command, status: "running", error: null, startedAt: now };
  if (command.command === "/clear") {
    // The fresh agent does not know of a pull request that waits for an answer.
    const openPr = session.openPr && { ...session.openPr, pending: null };
    const done: RuntimeCommandRun = { ...run, status: "completed" };
    const cleared: SessionState = {
      session: { ...session, openPr, command: done, updatedAt: now },
      chat: { ...chat, conversationId: command.id, clearedAt: now },
    };
    return decided(cleared, run, [{ type: "index-session" }]);
  }
  if (chat.turn === null) {
    // The conversation is empty, so there is nothing to summarize.
    const done: RuntimeCommandRun = { ...run, status: "completed" };
    return decided({ ...state, session: { ...session, command: done, updatedAt: now } }, run);
  }
  const held = checkWake({ sandbox, isHeldByDeploy });
  if (held) return held;
  return decided({ ...state, session: { ...session, command: run, updatedAt: now } }, run, [
    { type: "remind", name: "command-overdue", at: now + commandDeadlineMs },
    { type: "compact", id: command.id },
  ]);
}

/** Records the end of a command, successful or not. Ignores the end of another command. */
export function recordCommandEnd(
  state: SessionState,
  event: { commandId: string; error: string | null },
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { command } = state.session;
  if (command?.id !== event.commandId || command.status !== "running") return decided(state, null);
  const ended = { ...command, status: event.error === null ? ("completed" as const) : ("failed" as const) };
  const session = { ...state.session, command: { ...ended, error: event.error }, updatedAt: now };
  return decided({ ...state, session }, null, [
    { type: "forget", name: "command-overdue" },
    { type: "release-sandbox", id: command.id },
  ]);
}
