// The precondition of a message that was long on its way, with files or through a code host: the version of the session that its sender saw
// is compared with the one that is there, so that it is not delivered into something its sender did not mean.

import type { Author } from "../access/actor.ts";
import { isUnfinished } from "../chat/turn.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { SessionState } from "./session.ts";

/** What a sender relies on: the session as it was when the message set out. */
export interface SessionVersion {
  status: string;
  branch: string | null;
  model: string | null;
  assignee: string | null;
  conversationId: string;
  /** The turn that ran then. */
  runningTurnId: string | null;
}

/** The version of the session that is there. */
export function versionOf({ session, chat }: SessionState): SessionVersion {
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
 * Refuses a message that the session overtook (Part 1, "Errors"): SESSION_UNDER_REVIEW when only a member's could resume it by now,
 * SESSION_CHANGED for one that was to wait Up next, SESSION_STATUS_CHANGED for one that was to start a turn, JOB_IN_PROGRESS when
 * another started one meanwhile.
 */
export function checkVersion(state: SessionState, seen: SessionVersion | null, author: Author): Refusal | null {
  if (seen === null) return null;
  const found = versionOf(state);
  if (found.status === "under-review" && author.kind !== "member") return refuse("SESSION_UNDER_REVIEW");
  const { runningTurnId: ranThen, ...reliedOn } = seen;
  const { runningTurnId: runsNow, ...isNow } = found;
  // A turn that started may have brought its model and its Assignee with it, so it is told of first.
  if (ranThen === null && runsNow !== null && found.status === seen.status) return refuse("JOB_IN_PROGRESS");
  if (JSON.stringify(reliedOn) === JSON.stringify(isNow)) return null;
  return refuse(ranThen === null ? "SESSION_STATUS_CHANGED" : "SESSION_CHANGED");
}
