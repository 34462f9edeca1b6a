// The deletion of a session, and of a person that it names (decisions, "Chat sessions").
import { isUnfinished } from "../../chat/rules/turn.ts";
import { type DeletedPerson, deletePersonFromJson } from "../../deletion/rules/person.ts";
import { type Decision, decided } from "../../rules/decision.ts";
import type { SessionEffect } from "../../rules/effect.ts";
import { idempotencyKeyLifetimeMs } from "../../rules/limits.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Metadata } from "./metadata.ts";
import type { Session, SessionState } from "./session.ts";

/** Takes the session from a deleted Assignee, and replaces what names them in its metadata. */
export function releaseFromDeleted(
  state: SessionState,
  person: DeletedPerson,
  now: number,
): Decision<SessionState, null, SessionEffect> {
  const { assignee, metadata } = state.session;
  const isTheirs = assignee?.kind === "member" && assignee.userId === person.id;
  const left = deletePersonFromJson(metadata, person) as Metadata;
  if (!isTheirs && left === metadata) return decided(state, null);
  const session: Session = { ...state.session, assignee: isTheirs ? null : assignee, metadata: left, updatedAt: now };
  return decided({ ...state, session }, null, [
    { type: "index-session" },
    ...(left === metadata ? [] : [{ type: "index-metadata" } as const]),
  ]);
}

/**
 * Deletes a session whose turn has been stopped. Only its recorded events stay (decisions, "Chat
 * sessions").
 */
export function deleteSession(state: SessionState, now: number): Decision<SessionState | null, null, SessionEffect> {
  if (isUnfinished(state.chat.turn)) return refuse("SESSION_UPDATING", "The turn is still being stopped. Try again.");
  const { id: sessionId, workspaceId, projectId, sandboxKey } = state.session;
  return decided(null, null, [
    { type: "destroy-sandbox", id: sandboxKey },
    { type: "forget-session", sessionId, workspaceId, projectId },
    { type: "forget-all" },
    // A repeated create still gets its first response, and not a second session.
    { type: "remind", name: "forget-answers", at: now + idempotencyKeyLifetimeMs },
  ]);
}
