// A sandbox whose program is not the one that starts now is retired once no turn runs in it: its work is saved and its process ended, so that its
// next wake starts the present program. A running turn goes on to its end.
import { decided } from "../../rules/decision.ts";
import type { Sandbox, SandboxDecision } from "./lifecycle.ts";
import { pause } from "./pause.ts";
import { protocolVersion } from "./program-version.ts";

/** True if the sandbox runs another program than those that start now. The pool of spares looks after its own. */
export function isOutdated({ state, owner, program, protocol }: Sandbox, present: string): boolean {
  if (state !== "running" || owner?.type === "spare") return false;
  return program !== present || protocol !== protocolVersion;
}

/** Retires an outdated sandbox that no turn holds. `present` is the program that starts now. Answers whether it did. */
export function retire(sandbox: Sandbox, present: string, now: number): SandboxDecision<boolean> {
  if (!isOutdated(sandbox, present) || sandbox.holders.length > 0) return decided(sandbox, false);
  return pause(sandbox, now, true);
}
