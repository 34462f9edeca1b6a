// A Deploy of a project's main sandbox, as far as sessions ask about it.

/** The statuses in which a Deploy is at work (Part 2, "Deploy statuses"). `warming_pool` counts as deployed. */
export const workingDeployStatuses = [
  "creating_sandbox",
  "starting_services",
  "running_agent",
  "updating",
  "awaiting_user",
  "warming",
  "promoting",
] as const;

/** True while a project deploys, so that no sandbox can be created from it. */
export function isDeploying(deployStatus: string): boolean {
  return (workingDeployStatuses as readonly string[]).includes(deployStatus);
}
