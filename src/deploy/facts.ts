// The facts that each call passes to a project object: what the access check has read about the
// project and its workspace.
import type { ProjectFacts } from "../../durable-objects/project/rpc.ts";
import type { Details, Found } from "../access/queries.ts";
import { noSpend } from "../usage/rules/spend-limit.ts";
import { isOverAllowance } from "../workspace/rules/billing-block.ts";

/** The details that a route reads with the project if it may start work in a Deploy. */
export const deployDetails = ["runningMsThisMonth", "workspaceSpend"] as const;

/** Returns the facts of a project. A call that starts no work omits the usage. */
export function getDeployFacts({
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
