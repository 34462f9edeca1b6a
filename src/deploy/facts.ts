// What a project object is told with each call: what access has found of the project and its
// workspace.
import type { ProjectFacts } from "../../durable-objects/project/rpc.ts";
import type { Details, Found } from "../access/queries.ts";
import { noSpend } from "../usage/rules/spend-limit.ts";
import { isOverAllowance } from "../workspace/rules/billing-plan.ts";

/** What a route that may start work in a Deploy reads with the project. */
export const deployDetails = ["runningMsThisMonth", "workspaceSpend"] as const;

/** Returns the facts of a project. Without what was used, for a call that starts no work. */
export function deployFacts({
  workspace,
  project,
  runningMsThisMonth = 0,
  workspaceSpend = noSpend,
}: Found<"project"> & Partial<Pick<Details, "runningMsThisMonth" | "workspaceSpend">>): ProjectFacts {
  return {
    projectId: project.id,
    workspaceId: workspace.id,
    mainSandboxKey: project.mainSandboxKey,
    isLive: project.isLive,
    runnable: new Set(workspace.providers),
    isBlockedOnBilling: isOverAllowance(workspace.plan, runningMsThisMonth),
    workspaceSpend,
  };
}
