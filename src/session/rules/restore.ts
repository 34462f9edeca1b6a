// The restore of a session: an operator sets its object back to an earlier time. When that may be
// done, and what the session is afterwards.
import { createStopPause } from "../../chat/rules/queue-pause.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { sessionRestoreMs } from "../../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { isOpenPullRequest } from "./pull-request/pull-request.ts";
import { recordCommandEnd } from "./runtime-command.ts";
import type { SessionState } from "./session.ts";
import { endTurn } from "./turn-end.ts";

/** What the database knows of a session to restore. Times are in milliseconds since the epoch. */
export interface RestorableSession {
  id: string;
  title: string;
  /** NaN if it is not known. */
  createdAt: number;
  /** Null for a session that exists. */
  deletedAt: number | null;
  isRunning: boolean;
  /** Null if it is deleted. */
  project: string | null;
  /** The slug; null if it is deleted. */
  workspace: string | null;
}

const stopFirst = "A turn is running in the session. Stop it, then restore the session.";

/** Why a session cannot be restored to a time; null if it can. */
export function checkRestore(
  sessionId: string,
  session: RestorableSession | null,
  at: number,
  now: number,
): Refusal | null {
  if (session === null) {
    return refuse(
      "NOT_FOUND",
      `No session ${sessionId} was deleted in the last 30 days. One that was deleted with its project or workspace cannot be restored.`,
    );
  }
  if (session.workspace === null) return refuse("NOT_FOUND", "The workspace of the session is deleted.");
  if (session.project === null) return refuse("NOT_FOUND", "The project of the session is deleted.");
  const { createdAt, deletedAt } = session;
  if (at > now) return refuse("BAD_REQUEST", `${formatTime(at)} is in the future. Name an earlier time.`);
  if (at < now - sessionRestoreMs)
    return refuse("BAD_REQUEST", `${formatTime(at)} is more than 30 days ago. Nothing older is kept.`);
  if (at < createdAt)
    return refuse("BAD_REQUEST", `The session was created at ${formatTime(createdAt)}. Name a later time.`);
  if (deletedAt !== null && at >= deletedAt)
    return refuse("BAD_REQUEST", `The session was deleted at ${formatTime(deletedAt)}. Name an earlier time.`);
  return session.isRunning ? refuse("JOB_ACTIVE", stopFirst) : null;
}

/** Why the object of a session may not be set back now; null if it may. */
export function checkIdleForRestore(state: SessionState | null): Refusal | null {
  if (isUnfinished(state?.chat.turn ?? null)) return refuse("JOB_ACTIVE", stopFirst);
  return state?.session.command?.status === "running" ? refuse("COMMAND_IN_FLIGHT") : null;
}

export const formatTime = (at: number): string => new Date(at).toISOString();

export interface RestoredSession {
  /** When the operator asked. Whatever is older belongs to the restored state. */
  askedAt: number;
  /** The sandbox that the session has from now on. */
  sandboxKey: string;
  /** A new id, so that the agent gets the restored conversation as text. */
  conversationId: string;
}

const interrupted = "The session was restored to a time at which this turn was running. Send the message again.";

/**
 * What a session is after its object was set back. Nothing of that time continues by itself: its
 * turn has failed, Up next is paused, and no merge waits. Lists and searches follow.
 */
export function applyRestore(
  state: SessionState,
  { askedAt, sandboxKey, conversationId }: RestoredSession,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { turn } = state.chat;
  const listed: SessionEffect[] = [
    { type: "index-session" },
    { type: "index-metadata" },
    { type: "index-history", id: 1 },
  ];
  // Somebody has written since the restore.
  if (isUnfinished(turn) && turn.createdAt >= askedAt) return decided(state, null, listed);
  const stopped = stopAll(state, now);
  if (isRefusal(stopped)) return stopped;
  const { session, chat } = stopped;
  // The newest turn gets the new conversation, too. Its agent is not known to any sandbox, so the
  // next turn's agent starts with the conversation as text.
  const continues = chat.turn !== null && chat.turn.conversationId === chat.conversationId;
  const asText = continues && { conversationId, turn: chat.turn && { ...chat.turn, conversationId } };
  const restored: SessionState = {
    session: { ...session, sandboxKey, ship: session.ship && { ...session.ship, sha: null }, updatedAt: now },
    chat: { ...chat, ...asText },
  };
  return decided(restored, null, [
    { type: "forget-all" },
    ...(isOpenPullRequest(session.prState) ? [{ type: "remind", name: "pull-request-stale", at: now } as const] : []),
    ...(isUnfinished(turn)
      ? [{ type: "revoke-agent", id: turn.id } as const, { type: "index-turn", id: turn.id } as const]
      : []),
    ...listed,
  ]);
}

/** Ends the turn and the command, and pauses Up next if it has messages. */
function stopAll(state: SessionState, now: number): SessionState | Refusal {
  const { turn, upNext, pause } = state.chat;
  const waits = isUnfinished(turn) || upNext.length > 0;
  let after: SessionState = waits ? { ...state, chat: { ...state.chat, pause: pause ?? createStopPause(now) } } : state;
  if (isUnfinished(turn)) {
    const end = { status: "failed", error: interrupted, errorCode: null } as const;
    // No next turn starts, because Up next is paused.
    const ended = endTurn(after, { turnId: turn.id, end, nextTurnId: "" }, now);
    if (isRefusal(ended)) return ended;
    after = ended.state;
  }
  const commandId = after.session.command?.id ?? "";
  const ended = recordCommandEnd(after, { commandId, error: "The session was restored." }, now);
  return isRefusal(ended) ? ended : ended.state;
}

const filesOfDeleted =
  "Not restored: its sandbox's files, artifacts, attachments, public links and saved work. The sandbox starts fresh, from the branch at the code host.";
const filesOfExisting =
  "The sandbox and the artifacts stay as they are. An attachment that was deleted since does not come back.";

/** What the restore of a session would do, for the operator. */
export function formatRestore(session: RestorableSession, at: number): Record<string, string> {
  const { id, title, project, workspace, deletedAt } = session;
  return {
    session: id,
    state: "not restored",
    title,
    of: `project ${project}, workspace ${workspace}`,
    now: deletedAt === null ? "it exists" : `deleted at ${formatTime(deletedAt)}`,
    to: formatTime(at),
    restores: "the conversation, the title, the status and the other fields, and Up next, as they were at that time",
    ...(deletedAt === null && { loses: "everything that happened in the session since that time" }),
    runs: "nothing. A turn that was running at that time ends as failed, and Up next is paused. The next turn's agent gets the conversation as text.",
    files: deletedAt === null ? filesOfExisting : filesOfDeleted,
    next: "Add --yes to restore it.",
  };
}

/** The result of a restore, for the operator. */
export function formatRestored(
  { id, title, deletedAt }: RestorableSession,
  { toTime, askedAt }: { toTime: number; askedAt: number },
): Record<string, string> {
  return {
    session: id,
    state: "restored",
    title,
    to: formatTime(toTime),
    files: deletedAt === null ? filesOfExisting : filesOfDeleted,
    undo:
      deletedAt === null
        ? `npm run operator -- restore-session ${id} --at ${formatTime(askedAt)}`
        : "delete the session again",
  };
}

/** The result of a repeated restore that is already done, for the operator. */
export function formatRestoredBefore(id: string, at: number, settledAt: number): Record<string, string> {
  return {
    session: id,
    state: `restored before, at ${formatTime(settledAt)}`,
    to: formatTime(at),
    next: "Nothing was changed. Name a slightly different time to restore it once more.",
  };
}
