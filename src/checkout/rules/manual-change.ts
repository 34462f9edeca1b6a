// Manual changes: edits of files and commits that a person makes in the checkout of a session.
import { type Refusal, refuse } from "../../rules/refusal.ts";

/**
 * Refuses them while a turn runs, because the turn owns the checkout (Part 1, "Files and commits").
 */
export function checkManualChange({ runningTurnId }: { runningTurnId: string | null }): Refusal | null {
  return runningTurnId === null ? null : refuse("JOB_ACTIVE");
}
