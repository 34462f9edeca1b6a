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

/** What the code host shows of the pull request has changed. */
export interface PullRequestChanged extends OwnerEvent {
  type: "pull-request-changed";
  number: number;
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
  const events = listChatChanges(owned(before), owned(after));
  const pullRequest = before && after && findPullRequestChange(before, after);
  return pullRequest ? [...events, pullRequest] : events;
}

/** A verdict is read from the code host after its report, so it is no change of its own. */
function findPullRequestChange(before: SessionState, after: SessionState): PullRequestChanged | null {
  const { prNumber: number } = after.session;
  if (number === null || getReported(before) === getReported(after)) return null;
  return { type: "pull-request-changed", turnId: null, number };
}

const getReported = ({ session: { prNumber, prState, prBase, prReport } }: SessionState) =>
  JSON.stringify([prNumber, prState, prBase, { ...prReport, verdict: null, lastVerdict: null, staleSince: null }]);
