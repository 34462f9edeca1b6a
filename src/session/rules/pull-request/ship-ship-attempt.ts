// One attempt to ship: the next step for a pull request, by its state and checks on the code host (decisions, "Skills, plugins").

import type { Session } from "../session.ts";
import type { ShipOutcome } from "./ship.ts";
import type { CodeHostAccount, PullRequestState } from "./state.ts";

export interface ShipAttempt {
  session: Pick<Session, "status" | "ship">;
  /** The pull request on the code host. */
  found: { number: number; state: PullRequestState; mergedBy?: CodeHostAccount };
  /** True while the turn that asked waits for the outcome. */
  isAsked: boolean;
}

interface Checks {
  state: "none" | "pending" | "passed" | "failed";
  failed: string[];
  pending: string[];
}

/** What to do on the code host. `thenDraft` and `elseDraft` are for a pull request that was made ready only to be shipped. */
export type ShipStep =
  | { type: "give-up"; checks: string[]; thenDraft: boolean }
  | { type: "wait"; checks: string[]; makesReady: boolean }
  | { type: "merge"; makesReady: boolean; elseDraft: boolean };

/** The outcome that does not depend on the checks; null if they decide. */
export function shipUnchecked({ found: { number, state, mergedBy }, isAsked }: ShipAttempt): ShipOutcome | null {
  switch (state) {
    case "merged":
      return { type: "merged", mergedBy };
    case "closed":
      return { type: "refused", reason: `Pull request ${number} is closed by now.` };
    case "draft":
      return isAsked ? null : { type: "refused", reason: `Pull request ${number} is a draft by now.` };
    case "open":
      return null;
  }
}

/** The step that the checks of the commit ask for. No checks count as passed. A check that failed once counts as failed, even if it passes again. */
export function shipStep({ session, found, isAsked }: ShipAttempt, checks: Checks): ShipStep {
  const isDraft = found.state === "draft";
  // A session that waits while Active had its pull request made ready only to be shipped.
  const wasMadeReady = !isAsked && session.status === "active";
  if (checks.state === "failed") return { type: "give-up", checks: checks.failed, thenDraft: wasMadeReady };
  if (session.ship?.hasFailedCheck) return { type: "give-up", checks: [], thenDraft: wasMadeReady };
  if (checks.state === "pending") return { type: "wait", checks: checks.pending, makesReady: isDraft };
  return { type: "merge", makesReady: isDraft, elseDraft: wasMadeReady || isDraft };
}
