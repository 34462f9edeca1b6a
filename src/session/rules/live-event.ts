// Live events of a session, as its subscribers receive them.
import { type LiveEvent, listChatChanges, type OwnerEvent } from "../../chat/rules/live-event.ts";
import type { RuntimeCommandRun } from "./runtime-command.ts";
import type { SessionState } from "./session.ts";
import { type SessionSummary, toListed, toSummary } from "./summary.ts";

/** A session as its read endpoint shows it. */
export interface SessionView {
  summary: SessionSummary;
  command: Pick<RuntimeCommandRun, "command" | "status" | "error"> | null;
}

export interface SessionChanged extends OwnerEvent {
  type: "session-changed";
  view: SessionView;
}

export function toSessionView(state: SessionState): SessionView {
  const { command } = state.session;
  const shown = command && { command: command.command, status: command.status, error: command.error };
  return { summary: toSummary(state), command: shown };
}

export function toSessionEvent(state: SessionState): SessionChanged {
  const { summary, command } = toSessionView(state);
  return { type: "session-changed", turnId: null, view: { summary: toListed(summary), command } };
}

/** The events of a decision, in order. */
export function listSessionChanges(before: SessionState | null, after: SessionState | null): LiveEvent[] {
  const owned = (state: SessionState | null) => state && { chat: state.chat, owner: toSessionEvent(state) };
  return listChatChanges(owned(before), owned(after));
}
