// The reset of a sandbox restarts its services. It does not affect the files, the branch or a
// running turn.
import { decided } from "../../rules/decision.ts";
import { refuse } from "../../rules/refusal.ts";
import { isStarting, isUp, type Sandbox, type SandboxDecision } from "./lifecycle.ts";

/** After this time an unfinished reset counts as over, so that another can be requested. */
export const resetDeadlineMs = 60_000;

/**
 * Requests a restart of the services. While one is in flight, another request changes nothing (Part
 * 1, "Previews and sandboxes").
 */
export function reset(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (isStarting(sandbox))
    return refuse(
      "SANDBOX_STARTING",
      "The sandbox is still starting, and its services with it. Wait until health says healthy.",
    );
  if (sandbox.state !== "running") {
    return refuse("BAD_REQUEST", "The sandbox is not running. Request the preview to wake it, then reset it.");
  }
  if (isResetting(sandbox, now)) return decided(sandbox, null);
  return decided({ ...sandbox, resettingSince: now, lastUsedAt: now, lastLookedAt: now }, null, [
    { type: "restart-services", id: sandbox.generation },
  ]);
}

/** The reset of a generation has ended, successfully or not. */
export function recordResetEnd(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  if (!isUp(sandbox) || sandbox.generation !== generation || sandbox.resettingSince === null)
    return decided(sandbox, null);
  return decided({ ...sandbox, resettingSince: null }, null);
}

/** True while the services are being restarted. */
export function isResetting(sandbox: Sandbox, now: number): boolean {
  return isUp(sandbox) && sandbox.resettingSince !== null && now - sandbox.resettingSince < resetDeadlineMs;
}
