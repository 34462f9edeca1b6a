// The limits of session sandboxes in SQL: per workspace by its plan, and per owner across all their
// workspaces on that plan.
import { type Plan, planNames, plans } from "../../workspace/rules/billing-plan.ts";

/** The limit of the plan of the workspace `w`, in SQL. */
export const byPlan = (limit: (plan: Plan) => number | null) =>
  `CASE w.plan ${planNames.map((plan) => `WHEN '${plan}' THEN ${limit(plans[plan]) ?? "NULL"}`).join(" ")} END`;

const ofWorkspace = byPlan((plan) => plan.maxConcurrentSandboxes);
const ofOwner = byPlan((plan) => plan.maxSandboxesOfOwner);

const limitedPlans = planNames
  .filter((plan) => plans[plan].maxSandboxesOfOwner !== null)
  .map((plan) => `'${plan}'`)
  .join(", ");

/**
 * The ids of the workspaces that share a limit with a workspace, including itself: those on the
 * same plan with the same owner. Empty on a plan without such a limit. `workspaceId` is an SQL
 * expression, also in the functions below.
 */
export function getOwnerWorkspacesSql(workspaceId: string): string {
  return `SELECT other.workspace_id FROM workspaces own
    JOIN members owner ON owner.workspace_id = own.id AND owner.role = 'owner'
    JOIN members other ON other.user_id = owner.user_id AND other.role = 'owner'
    JOIN workspaces alike ON alike.id = other.workspace_id AND alike.plan = own.plan
    WHERE own.id = ${workspaceId} AND own.plan IN (${limitedPlans})`;
}

/**
 * The number of slots that the sessions of these workspaces hold. `but` is a condition on the slot
 * `l`.
 */
export function getOwnerSlotsSql(workspaceId: string, but = "true"): string {
  return `(SELECT count(*) FROM sandbox_slots l
    WHERE l.workspace_id IN (${getOwnerWorkspacesSql(workspaceId)}) AND l.owner_type = 'session' AND ${but})`;
}

/** The number of slots that the sessions of a workspace hold. `but` is as above. */
export function getWorkspaceSlotsSql(workspaceId: string, but = "true"): string {
  return `(SELECT count(*) FROM sandbox_slots l WHERE l.workspace_id = ${workspaceId} AND l.owner_type = 'session' AND ${but})`;
}

/**
 * The condition that the plan of the workspace `w` leaves room for one more session sandbox. `but`
 * is as above.
 */
export function getHasRoomSql(but = "true"): string {
  return `(${ofWorkspace} IS NULL OR ${getWorkspaceSlotsSql("w.id", but)} < ${ofWorkspace})
    AND (${ofOwner} IS NULL OR ${getOwnerSlotsSql("w.id", but)} < ${ofOwner})`;
}
