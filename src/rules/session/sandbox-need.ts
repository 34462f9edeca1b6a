// The conditions on the sandbox for a turn to start (Part 1, "What the session needs").
import { type Refusal, refuse } from "../refusal.ts";

/** The facts about the sandbox when a message arrives. */
export interface SandboxFacts {
  /** Null for a sandbox that is paused or was never created. */
  sandbox: "starting" | "running" | null;
  /** The project is being deployed by a member. */
  isHeldUp: boolean;
  isAtSandboxLimit: boolean;
  isBlockedOnBilling: boolean;
}

/** Refuses a turn that the sandbox could not run. */
export function checkSandbox({ sandbox, isHeldUp, isAtSandboxLimit }: SandboxFacts): Refusal | null {
  switch (sandbox) {
    case "running":
      return null;
    case "starting":
      return refuse("SANDBOX_STARTING");
    case null:
      if (isHeldUp) return refuse("DEPLOY_ACTIVE", "The project is being deployed. Send again when that is done.");
      return isAtSandboxLimit ? refuse("SANDBOX_LIMIT_REACHED") : null;
  }
}
