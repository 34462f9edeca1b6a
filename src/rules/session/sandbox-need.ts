// What a session needs of its sandbox for a turn to start, and when it cannot have it (Part 1, "What the session needs").
import { type Refusal, refuse } from "../refusal.ts";

/** What is known of the sandbox when a message arrives. */
export interface SandboxFacts {
  /** Null where none runs or starts: it is paused, or was never created. */
  sandbox: "starting" | "running" | null;
  isDeploying: boolean;
  isAtSandboxLimit: boolean;
  isBlockedOnBilling: boolean;
}

/** Refuses a turn that its sandbox could not take up. */
export function checkSandbox({ sandbox, isDeploying, isAtSandboxLimit }: SandboxFacts): Refusal | null {
  switch (sandbox) {
    case "running":
      return null;
    case "starting":
      return refuse("SANDBOX_STARTING");
    case null:
      if (isDeploying) return refuse("DEPLOY_ACTIVE", "The project is being deployed. Send again when that is done.");
      return isAtSandboxLimit ? refuse("SANDBOX_LIMIT_REACHED") : null;
  }
}
