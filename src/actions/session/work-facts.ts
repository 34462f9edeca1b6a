// The facts that decide whether work can start in a session: its models, its sandbox and its plan.
import type { WorkFacts } from "../../../durable-objects/session/rpc.ts";
import { isDeploying } from "../../rules/deploy/deploy.ts";
import { isOverAllowance, plans } from "../../rules/workspace/plan.ts";
import type { Details, Found } from "../../storage/queries/access.ts";
import { modelFacts } from "./model-facts.ts";

type WorkFound = Found<"project", "runningMsThisMonth"> & Partial<Pick<Details, "slot">>;

/** Returns the facts from what access has found; without a slot, for a session that is being created. */
export function workFacts({ workspace, project, runningMsThisMonth, slot = null }: WorkFound): WorkFacts {
  return {
    ...modelFacts(workspace),
    sandbox: slot,
    isDeploying: isDeploying(project.deployStatus),
    isSandboxLimited: plans[workspace.plan].maxConcurrentSandboxes !== null,
    // Decided by the claim of a slot: a count read before may include sandboxes that have stopped unnoticed.
    isAtSandboxLimit: false,
    isBlockedOnBilling: isOverAllowance(workspace.plan, runningMsThisMonth),
  };
}
