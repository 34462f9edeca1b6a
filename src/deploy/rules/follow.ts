// The live checkout follows the Target Branch: a push moves it on without a Deploy.
import { decided } from "../../rules/decision.ts";
import { type ProjectDecision, type ProjectState, say } from "./project-state.ts";

/** A checkout that could not move on because a turn ran is tried again after this. */
export const followAgainMs = 15_000;

/** What came of an attempt to follow. */
export type FollowOutcome =
  | { type: "followed" }
  /** A turn works in the checkout. */
  | { type: "busy" }
  /** Commits or changes made in the checkout stand in the way, or a setup command failed. */
  | { type: "stuck"; reason: string };

/**
 * The Target Branch has moved on. Several pushes at once move the checkout on once. Spares of an
 * older commit end.
 */
export function targetMoved(state: ProjectState): ProjectDecision<null> {
  return decided(state, null, [{ type: "follow-target" }, { type: "tend-pool" }]);
}

/** Goes on behind an attempt. The same trouble is told once. */
export function followed(state: ProjectState, outcome: FollowOutcome, now: number): ProjectDecision<null> {
  switch (outcome.type) {
    case "busy":
      return decided(state, null, [{ type: "remind", name: "follow-target", at: now + followAgainMs }]);
    case "followed":
      return decided({ ...state, stuckCheckout: null }, null);
    case "stuck": {
      if (state.stuckCheckout === outcome.reason) return decided(state, null);
      const told = `The live checkout did not follow the Target Branch. ${outcome.reason}`;
      return decided(say({ ...state, stuckCheckout: outcome.reason }, told, now), null);
    }
  }
}
