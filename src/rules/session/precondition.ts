// Arrival: a message that was long on its way, with files or through a code host, meets a session that may have moved on. What it saw when
// it set out is compared with what is there, so that it is not delivered into something its sender did not mean.

import { isUnfinished } from "../chat/turn.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { Author, SessionState } from "./session.ts";

/** What a sender relies on: a look at the session as the message set out. */
export interface Glance {
  status: string;
  branch: string | null;
  model: string | null;
  assignee: string | null;
  conversationId: string;
  /** The turn that ran then. */
  runningTurnId: string | null;
}

/** Takes a look at the session. */
export function glance({ session, turn }: SessionState): Glance {
  const { status, branch, model, assignee, conversationId } = session;
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
export function checkArrival(state: SessionState, seen: Glance | null, author: Author): Refusal | null {
  if (seen === null) return null;
  const found = glance(state);
  if (found.status === "under-review" && author.kind !== "member") return refuse("SESSION_UNDER_REVIEW");
  const { runningTurnId: ranThen, ...reliedOn } = seen;
  const { runningTurnId: runsNow, ...isNow } = found;
  // A turn that started may have brought its model and its Assignee with it, so it is told of first.
  if (ranThen === null && runsNow !== null && found.status === seen.status) return refuse("JOB_IN_PROGRESS");
  if (JSON.stringify(reliedOn) === JSON.stringify(isNow)) return null;
  return refuse(ranThen === null ? "SESSION_STATUS_CHANGED" : "SESSION_CHANGED");
}
