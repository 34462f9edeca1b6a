// Shipping: the session's pull request is merged, at once or when its checks have passed (decisions, "Skills, plugins"). The wish holds for
// one commit; whatever changes what would be merged takes it back.

import { isUnfinished, type Turn } from "../chat/turn.ts";
import { type Decision, decided } from "../decision.ts";
import type { SessionEffect } from "../effect.ts";
import { refuse } from "../refusal.ts";
import type { Session, SessionState } from "../session/session.ts";
import { isPullRequestOver } from "./pull-request.ts";
import type { Shipping } from "./state.ts";

/** What an attempt to merge came to. */
export type ShipOutcome =
  | { is: "merged" }
  /** These checks have not ended. */
  | { is: "waiting"; checks: string[] }
  | { is: "failed"; checks: string[] }
  /** Why the code host does not merge it. */
  | { is: "refused"; why: string };

type ShipDecision = Decision<SessionState, null, SessionEffect>;

/** Wishes a commit merged. From now on the session is not told to need a person for being behind (Part 1, "Chat session"). */
export function askToShip(state: SessionState, wish: { turnId: string; sha: string }, now: number): ShipDecision {
  const { session } = state;
  if (session.prNumber === null) {
    return refuse("BAD_REQUEST", "There is no pull request yet. Open one with the skill svc:open-pr, then ship.");
  }
  const isAgain = session.ship?.turnId === wish.turnId;
  if (isAgain) return keep(state, { ship: wish }, now);
  if (isPullRequestOver(session.prState)) {
    return refuse(
      "BAD_REQUEST",
      `Pull request ${session.prNumber} is ${session.prState}, so there is nothing to ship.`,
    );
  }
  return keep(state, { ship: wish }, now);
}

/** Takes note of what an attempt came to. One for another commit than the one that is wished by now changes nothing. */
export function settleShip(
  state: SessionState,
  { sha, outcome }: { sha: string; outcome: ShipOutcome },
  now: number,
): ShipDecision {
  const { ship, prState } = state.session;
  if (ship?.sha !== sha) return decided(state, null);
  switch (outcome.is) {
    case "merged":
      return keep(state, { ship: { ...ship, sha: null }, prState: "merged" }, now);
    case "waiting":
      return isPullRequestOver(prState) ? decided(state, null) : keep(state, { prState: "open" }, now);
    case "failed":
      return keep(state, { ship: { turnId: ship.turnId, sha: null } }, now);
    case "refused":
      // Who asked is still there to read why; later on, being behind is once more for a person to see to.
      return keep(state, { ship: isShipTurn(state) ? { ...ship, sha: null } : null }, now);
  }
}

/** The wish when the code host has told something: it is over once there is another commit to merge, or nothing to merge but a draft. */
export function shipAfterEvent({ ship, prState }: Session, newSha: string | null): Shipping | null {
  if (!ship?.sha) return ship;
  const isStill = prState === "open" && (newSha === null || newSha === ship.sha);
  return isStill ? ship : { ...ship, sha: null };
}

/** True while the turn runs that asked: it sees to its end, and the session ends behind it. */
export function isShipTurn({ session, chat: { turn } }: SessionState): boolean {
  return isUnfinished(turn) && session.ship?.turnId === turn.id;
}

/** True when a turn has ended well whose pull request now waits for its checks, and for people to look at it. */
export function leavesForReview({ ship, prState, status }: Session, ended: Turn): boolean {
  const waits = ship?.turnId === ended.id && ship.sha !== null && prState === "open";
  return waits && ended.status === "completed" && status === "active";
}

/** For the agent, and through it the user. */
export function shipText(outcome: ShipOutcome): string {
  switch (outcome.is) {
    case "merged":
      return "The pull request is merged. The session is completed when this turn ends.";
    case "waiting":
      return `Checks are still running: ${outcome.checks.join(", ")}. The pull request is merged as soon as they have passed; a new commit, or one that fails, calls that off.`;
    case "failed":
      return `Not merged: these checks have failed: ${outcome.checks.join(", ")}. Once they are mended, ship again.`;
    case "refused":
      return `Not merged: ${outcome.why}`;
  }
}

function keep(state: SessionState, change: Partial<Session>, now: number): ShipDecision {
  const session: Session = { ...state.session, ...change, updatedAt: now };
  const ends = session.prState === "merged" && !isShipTurn(state);
  return decided({ ...state, session }, null, [
    { type: "index-session" },
    ...(ends ? [{ type: "follow-pull-request" } as const] : []),
  ]);
}
