// The facts that decide whether work can start in a session: its models, its sandbox and its plan.
import type { WorkFacts } from "../../durable-objects/session/rpc.ts";
import type { Details, Found } from "../access/queries.ts";
import type { Actor } from "../access/rules/actor.ts";
import type { TurnModelFacts } from "../model/rules/choice.ts";
import { isOverAllowance, plans } from "../workspace/rules/billing-plan.ts";
import { bookingOf, modelFacts } from "./facts-model-facts.ts";

/** What a route that starts work in a session reads with it. */
export const workDetails = ["runningMsThisMonth", "workspaceSpend", "slot", "callerMeans", "assigneeMeans"] as const;

/** Returns the facts of a session from what access has found. */
export function workFacts(found: Found<"session", (typeof workDetails)[number]>, by: Actor): WorkFacts {
  const { workspace, session, callerMeans, assigneeMeans } = found;
  return startFacts(found, modelFacts(workspace, bookingOf(session), by, [callerMeans, assigneeMeans]));
}

type StartFound = Found<"project", "runningMsThisMonth" | "workspaceSpend"> & Partial<Pick<Details, "slot">>;

/** Returns the facts for these models; without a slot, for a session that is being created. */
export function startFacts(
  { workspace, project, runningMsThisMonth, workspaceSpend, slot = null }: StartFound,
  models: TurnModelFacts,
): WorkFacts {
  return {
    ...models,
    sandbox: slot,
    isHeldUp: project.holdsSessionsUp,
    hasSpare: project.hasSpare,
    isSandboxLimited: plans[workspace.plan].maxConcurrentSandboxes !== null,
    // Decided by the claim of a slot: a count read before may include sandboxes that have stopped unnoticed.
    sandboxLimit: null,
    workspaceSpend,
    isBlockedOnBilling: isOverAllowance(workspace.plan, runningMsThisMonth),
  };
}
