// Whether a workspace is blocked on billing: it has used up the running time of its plan.
import { refuse } from "../../rules/refusal.ts";
import { type PlanName, plans } from "./billing-plan.ts";

const hourMs = 3_600_000;

/** The refusal of a workspace that is blocked on billing. */
export const allowanceUsedUp = refuse(
  "CREDIT_LIMIT_REACHED",
  "The workspace has used up the running time of its plan for this month. An owner or admin can change the plan.",
);

/** True if the workspace has used up the month's running time, and is blocked on billing. */
export function isOverAllowance(plan: PlanName, runningMsThisMonth: number): boolean {
  const hours = plans[plan].runningHoursPerMonth;
  return hours !== null && runningMsThisMonth >= hours * hourMs;
}
