// A visit to a preview that no service responded to: what the visitor is shown, and whether the
// sandbox is woken.
import { decided } from "../../rules/decision.ts";
import { isRefusal, type Refusal } from "../../rules/refusal.ts";
import {
  findStartFailure,
  type Sandbox,
  type SandboxDecision,
  type WakeCommand,
  wake,
} from "../../sandbox/rules/lifecycle.ts";
import { getUnavailableReason, type PreviewUnavailable } from "./preview.ts";

/**
 * No visit starts a sandbox for this long after a failed start. Otherwise a page that reloads
 * itself would try forever.
 */
export const failedStartHoldsMs = 10_000;

/**
 * The failure of a background start that was not reported yet; null if another start may be tried,
 * such as after a full plan.
 */
export function findUnreportedFailure(sandbox: Sandbox, now: number): Refusal | null {
  const failed = sandbox.state === "paused" ? failedLately(sandbox, now) : null;
  return failed?.code === "SANDBOX_LIMIT_REACHED" ? null : failed;
}

/** The refusal of a start that failed within `failedStartHoldsMs`; null if another may be tried. */
function failedLately(sandbox: Sandbox, now: number): Refusal | null {
  const failure = findStartFailure(sandbox);
  const holds = failure !== null && !failure.isCalledOff && now - failure.at < failedStartHoldsMs;
  return holds ? failure.refusal : null;
}

/**
 * Somebody opens a preview that does not respond. A sleeping sandbox is woken if it resumes on
 * visits.
 */
export function recordVisit(sandbox: Sandbox, command: WakeCommand, now: number): SandboxDecision<PreviewUnavailable> {
  switch (sandbox.state) {
    case "pausing":
      return decided(sandbox, sandbox.resumesOnVisit ? "starting" : "paused");
    case "absent":
    case "paused": {
      if (failedLately(sandbox, now)) return decided(sandbox, "unable");
      if (!sandbox.resumesOnVisit) return decided(sandbox, "paused");
      const woken = wake(sandbox, command, now);
      return isRefusal(woken) ? woken : { ...woken, result: "starting" };
    }
    case "running":
    case "creating":
    case "resuming":
    case "gone":
      return decided(sandbox, getUnavailableReason(sandbox.state));
  }
}
