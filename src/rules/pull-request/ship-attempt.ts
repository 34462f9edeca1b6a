// One attempt to ship: what a pull request and its checks, as the code host has them, ask for (decisions, "Skills, plugins").

import type { Session } from "../session/session.ts";
import type { ShipOutcome } from "./ship.ts";
import type { PullRequestState } from "./state.ts";

export interface ShipAttempt {
  session: Pick<Session, "status" | "ship">;
  /** The pull request as it is at the code host. */
  found: { number: number; state: PullRequestState };
  /** True while the turn that asked for it waits for what comes of it. */
  isAsked: boolean;
}

interface Checks {
  state: "none" | "pending" | "passed" | "failed";
  failed: string[];
  pending: string[];
}

/** What is done at the code host; `thenDraft` is for a pull request that was made ready for this alone. */
export type ShipStep =
  | { type: "give-up"; checks: string[]; thenDraft: boolean }
  | { type: "wait"; checks: string[]; makesReady: boolean }
  | { type: "merge"; makesReady: boolean; elseDraft: boolean };

/** What comes of it whatever the checks say; null where these decide. */
export function shipUnchecked({ found: { number, state }, isAsked }: ShipAttempt): ShipOutcome | null {
  switch (state) {
    case "merged":
      return { is: "merged" };
    case "closed":
      return { is: "refused", why: `Pull request ${number} is closed by now.` };
    case "draft":
      return isAsked ? null : { is: "refused", why: `Pull request ${number} is a draft by now.` };
    case "open":
      return null;
  }
}

/** What the checks of the commit ask for. No checks are passed ones; one that failed counts although it may have passed again. */
export function shipStep({ session, found, isAsked }: ShipAttempt, checks: Checks): ShipStep {
  const isDraft = found.state === "draft";
  // Whoever waits with an Active session left the pull request ready for this alone.
  const wasMadeReady = !isAsked && session.status === "active";
  if (checks.state === "failed") return { type: "give-up", checks: checks.failed, thenDraft: wasMadeReady };
  if (session.ship?.hasFailedCheck) return { type: "give-up", checks: [], thenDraft: wasMadeReady };
  if (checks.state === "pending") return { type: "wait", checks: checks.pending, makesReady: isDraft };
  return { type: "merge", makesReady: isDraft, elseDraft: wasMadeReady || isDraft };
}
