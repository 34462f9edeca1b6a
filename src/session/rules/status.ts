// The statuses of a session, and the manual moves between them.
import { type Refusal, refuse } from "../../rules/refusal.ts";

export const sessionStatuses = ["backlog", "active", "under-review", "completed", "archived"] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** True for a session in progress: it can have a sandbox and a preview. */
export function isOpen(status: SessionStatus): boolean {
  return status === "active" || status === "under-review";
}

/** True for a session that is over permanently. */
export function isEnded(status: SessionStatus): boolean {
  return status === "completed" || status === "archived";
}

/** The manual moves from each status (Part 1, "Session statuses"; decisions, "Chat sessions"). */
const moves: Record<SessionStatus, readonly SessionStatus[]> = {
  backlog: ["archived"],
  active: ["under-review", "completed", "archived"],
  "under-review": ["active", "completed", "archived"],
  completed: [],
  archived: [],
};

/** Refuses a move that the table does not have. */
export function checkMove(from: SessionStatus, to: SessionStatus): Refusal | null {
  if (moves[from].includes(to)) return null;
  if (isEnded(from)) return refuse("BAD_REQUEST", "This session has ended, so its status cannot change.");
  if (from === "backlog") {
    const message = `A Backlog session cannot become ${to} this way. Activate it first, or archive it.`;
    return refuse("BAD_REQUEST", message);
  }
  return refuse("BAD_REQUEST", `A session cannot go from ${from} to ${to}. It can go to ${moves[from].join(" or ")}.`);
}
