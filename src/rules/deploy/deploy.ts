// The Deploy of a project's main sandbox, as far as sessions depend on it.
import { type Refusal, refuse } from "../refusal.ts";

/** The statuses of a Deploy in progress (Part 2, "Deploy statuses"). `warming_pool` counts as deployed. */
const workingDeployStatuses = [
  "creating_sandbox",
  "starting_services",
  "running_agent",
  "updating",
  "awaiting_user",
  "warming",
  "promoting",
] as const;

/** True while a project is being deployed. No sandbox can be created meanwhile. */
export function isDeploying(deployStatus: string): boolean {
  return (workingDeployStatuses as readonly string[]).includes(deployStatus);
}

/** The statuses of a live project. A Deploy that fails or is stopped on a live project leaves it `deployed`. */
const liveStatuses: readonly string[] = ["deployed", "warming_pool"];

/** Refuses the preview of a session whose project was never deployed, or is being deployed (Part 1, "Errors": BAD_REQUEST). */
export function checkPreviewable(deployStatus: string): Refusal | null {
  if (isDeploying(deployStatus)) {
    return refuse("BAD_REQUEST", "The project is being deployed. Ask for the preview again when that is done.");
  }
  if (liveStatuses.includes(deployStatus)) return null;
  return refuse("BAD_REQUEST", "The project has to be deployed before its sessions can have a preview.");
}
