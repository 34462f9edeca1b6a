// The live checkout follows the Target Branch: a push updates it without a Deploy.
import { decided } from "../../rules/decision.ts";
import { addServiceMessage } from "./deploy-chat.ts";
import type { ProjectDecision, ProjectState } from "./project-state.ts";

/**
 * The delay before another attempt, if the checkout could not be updated because a turn was
 * running.
 */
export const followAgainMs = 15_000;

/** The outcome of an attempt to follow. */
export type FollowOutcome =
  | { type: "followed" }
  /** A turn is working in the checkout. */
  | { type: "busy" }
  /** Commits or changes made in the checkout block the update, or a setup command failed. */
  | { type: "stuck"; reason: string };

/**
 * The Target Branch has a new commit. Several pushes at the same time update the checkout once.
 * Spares of an older commit end.
 */
export function recordTargetMove(state: ProjectState): ProjectDecision<null> {
  return decided(state, null, [{ type: "follow-target" }, { type: "tend-pool" }]);
}

/** Handles the outcome of an attempt. A repeated problem is reported only once. */
export function recordFollowOutcome(state: ProjectState, outcome: FollowOutcome, now: number): ProjectDecision<null> {
  switch (outcome.type) {
    case "busy":
      return decided(state, null, [{ type: "remind", name: "follow-target", at: now + followAgainMs }]);
    case "followed":
      return decided({ ...state, stuckCheckout: null }, null);
    case "stuck": {
      if (withoutOutput(state.stuckCheckout ?? "") === withoutOutput(outcome.reason)) return decided(state, null);
      const told = `The live checkout did not follow the Target Branch. ${outcome.reason}`;
      return decided(addServiceMessage({ ...state, stuckCheckout: outcome.reason }, told, now), null);
    }
  }
}

/** A reason without the output of a failed setup command, in which times and durations differ. */
const withoutOutput = (reason: string) => reason.replace(/(` (ended with|was not done)[^\n]*)[\s\S]*/, "$1");
