// The conditions on the sandbox for a turn to start (Part 1, "What the session needs").

import { type Refusal, refuse } from "../../rules/refusal.ts";
import { refuseSandbox, type SandboxLimit } from "../../workspace/rules/billing-plan.ts";

/** The facts about the sandbox when a message arrives. */
export interface SandboxFacts {
  /** Null for a sandbox that is paused or was never created. */
  sandbox: "starting" | "running" | null;
  /** The project is being deployed by a member. */
  isHeldUp: boolean;
  /** The limit that leaves no room for one more. */
  sandboxLimit: SandboxLimit | null;
  isBlockedOnBilling: boolean;
}

/** Refuses to wake a sandbox while a member deploys the project. One that runs works on. */
export function checkWake({ sandbox, isHeldUp }: Pick<SandboxFacts, "sandbox" | "isHeldUp">): Refusal | null {
  if (sandbox !== null || !isHeldUp) return null;
  return refuse("DEPLOY_ACTIVE", "The project is being deployed. Try again when that is done.");
}

/** Refuses a turn that the sandbox could not run. */
export function checkSandbox(facts: SandboxFacts): Refusal | null {
  switch (facts.sandbox) {
    case "running":
      return null;
    case "starting":
      return refuse("SANDBOX_STARTING");
    case null:
      return checkWake(facts) ?? (facts.sandboxLimit === null ? null : refuseSandbox(facts.sandboxLimit));
  }
}
