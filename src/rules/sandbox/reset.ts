// A reset of a sandbox: its services are restarted where it runs; its files, its branch and a turn that works there stay as they are.
import { decided } from "../decision.ts";
import { refuse } from "../refusal.ts";
import { isStarting, type Sandbox, type SandboxDecision } from "./sandbox.ts";

/** A reset that is not done by then is none any more, so that another can be asked for. */
export const resetDeadlineMs = 60_000;

/** Asks for a restart of the services. While one is under way, another changes nothing (Part 1, "Previews and sandboxes"). */
export function reset(sandbox: Sandbox, now: number): SandboxDecision<null> {
  if (isStarting(sandbox))
    return refuse("SANDBOX_STARTING", "The sandbox is still starting, and its services with it.");
  if (sandbox.state !== "running") {
    return refuse("BAD_REQUEST", "The sandbox is not running. Request the preview to wake it, then reset it.");
  }
  if (isResetting(sandbox, now)) return decided(sandbox, null);
  return decided({ ...sandbox, resettingSince: now, lastUsedAt: now }, null, [
    { type: "restart-services", generation: sandbox.generation },
  ]);
}

/** The services of a generation have been told to start anew, or cannot be. */
export function resetOver(sandbox: Sandbox, generation: number): SandboxDecision<null> {
  if (sandbox.generation !== generation || sandbox.resettingSince === null) return decided(sandbox, null);
  return decided({ ...sandbox, resettingSince: null }, null);
}

/** True while the services are being restarted. */
export function isResetting({ resettingSince }: Pick<Sandbox, "resettingSince">, now: number): boolean {
  return resettingSince !== null && now - resettingSince < resetDeadlineMs;
}
