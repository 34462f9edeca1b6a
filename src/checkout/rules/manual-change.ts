// Manual changes: edits of files, commits, pushes and work from elsewhere that a person puts into
// the checkout of a session. Routes ask the session first (`checkNoTurnRuns`); a commit or a push
// is checked in the session itself.
import { type Refusal, refuse } from "../../rules/refusal.ts";

/**
 * Refuses them while a turn runs, because the turn owns the checkout (Part 1, "Files and commits").
 */
export function checkManualChange({ runningTurnId }: { runningTurnId: string | null }): Refusal | null {
  return runningTurnId === null ? null : refuse("JOB_ACTIVE");
}
