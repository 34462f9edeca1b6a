// The precondition of a message whose upload or preparation took long. The session's version when
// the message was sent is compared with the current one, so that the message is not delivered to a
// state that its sender did not see.

import type { Actor } from "../../access/rules/actor.ts";
import { isUnfinished } from "../../chat/rules/turn.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { mayEndReview } from "./leave-under-review.ts";
import type { SessionState } from "./session.ts";

/** The version of a session: the state that a sender relies on. */
export interface SessionVersion {
  status: string;
  branch: string | null;
  model: string | null;
  assignee: string | null;
  conversationId: string;
  /** The turn that was running. */
  runningTurnId: string | null;
}

/** The current version of a session. */
export function getVersion({ session, chat }: SessionState): SessionVersion {
  const { status, branch, assignee } = session;
  const { model, conversationId, turn } = chat;
  return {
    status,
    branch,
    model,
    assignee: assignee?.kind === "member" ? assignee.userId : (assignee?.kind ?? null),
    conversationId,
    runningTurnId: isUnfinished(turn) ? turn.id : null,
  };
}

/**
 * Refuses a message if the session has changed since (Part 1, "Errors"): SESSION_UNDER_REVIEW if
 * its sender could not resume it now, SESSION_CHANGED for a message that was to wait Up
 * next, SESSION_STATUS_CHANGED for one that was to start a turn, JOB_IN_PROGRESS if another message
 * started a turn meanwhile.
 */
export function checkVersion(state: SessionState, seen: SessionVersion | null, by: Actor): Refusal | null {
  if (seen === null) return null;
  const found = getVersion(state);
  if (found.status === "under-review" && !mayEndReview(by)) return refuse("SESSION_UNDER_REVIEW");
  const { runningTurnId: ranThen, ...reliedOn } = seen;
  const { runningTurnId: runsNow, ...isNow } = found;
  // A new turn may also have changed model and Assignee, so it is reported first.
  if (ranThen === null && runsNow !== null && found.status === seen.status) return refuse("JOB_IN_PROGRESS");
  if (JSON.stringify(reliedOn) === JSON.stringify(isNow)) return null;
  return refuse(ranThen === null ? "SESSION_STATUS_CHANGED" : "SESSION_CHANGED");
}
