// Work circumstances: what access to a session has found that a start of work is held against: its models, its sandbox, its plan.
import type { WorkCircumstances } from "../../../durable-objects/session/rpc.ts";
import { isDeploying } from "../../rules/deploy/deploy.ts";
import { isOverAllowance, plans } from "../../rules/workspace/plan.ts";
import type { Details, Found } from "../../storage/queries/access.ts";
import { modelCircumstances } from "./model-facts.ts";

type WorkFound = Found<"project", "runningMsThisMonth"> & Partial<Pick<Details, "slot">>;

/** The circumstances of work in a session; without one, in a session that is about to begin. */
export function workCircumstances({
  workspace,
  project,
  runningMsThisMonth,
  slot = null,
}: WorkFound): WorkCircumstances {
  return {
    ...modelCircumstances(workspace),
    sandbox: slot,
    isDeploying: isDeploying(project.deployStatus),
    isSandboxLimited: plans[workspace.plan].maxConcurrentSandboxes !== null,
    // The claim of a slot tells; what was counted a moment ago may be sandboxes that have stopped unseen.
    isAtSandboxLimit: false,
    isBlockedOnBilling: isOverAllowance(workspace.plan, runningMsThisMonth),
  };
}
