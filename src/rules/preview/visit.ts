// A visit to a preview whose request nothing took: what the visitor is told, and whether the sandbox comes back for them.
import { decided } from "../decision.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { type Sandbox, type SandboxDecision, type WakeCommand, wake } from "../sandbox/sandbox.ts";
import { type PreviewTrouble, troubleOf } from "./preview.ts";

/** Within this time of a start that failed, whoever only looks starts nothing: a page that reloads itself would try for ever. */
export const failedStartHoldsMs = 10_000;

/** Why a sandbox did not come back that was to come back behind an answer; null when another start may be tried, as for want of room it may. */
export function untoldFailure(sandbox: Sandbox, now: number): Refusal | null {
  const failed = sandbox.state === "paused" ? failedLately(sandbox, now) : null;
  return failed?.code === "SANDBOX_LIMIT_REACHED" ? null : failed;
}

/** Why the start failed that has just been tried; null when another one may be tried. */
function failedLately({ failure }: Sandbox, now: number): Refusal | null {
  const holds = failure !== null && !failure.isCalledOff && now - failure.at < failedStartHoldsMs;
  return holds ? failure.refusal : null;
}

/** Somebody opens a preview that does not answer. A sandbox that sleeps is woken, unless it was created to be left asleep. */
export function visit(sandbox: Sandbox, command: WakeCommand, now: number): SandboxDecision<PreviewTrouble> {
  switch (sandbox.state) {
    case "pausing":
      return decided(sandbox, sandbox.resumesOnVisit ? "starting" : "paused");
    case "absent":
    case "paused": {
      if (failedLately(sandbox, now)) return decided(sandbox, "unable");
      if (!sandbox.resumesOnVisit) return decided(sandbox, "paused");
      const woken = wake(sandbox, command, now);
      return isRefusal(woken) ? woken : { ...woken, answer: "starting" };
    }
    case "running":
    case "creating":
    case "resuming":
    case "gone":
      return decided(sandbox, troubleOf(sandbox.state));
  }
}
