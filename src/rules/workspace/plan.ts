// A plan limits what a workspace may run. The limit of concurrent sandboxes counts those of sessions; running time counts all sandboxes.
import { refuse } from "../refusal.ts";

export interface Plan {
  /** Null without a limit. */
  maxConcurrentSandboxes: number | null;
  /** Running time of all sandboxes in one month; null without a limit. */
  runningHoursPerMonth: number | null;
  /** Spare sandboxes that are kept ready for the sessions of a project. */
  sparesPerProject: number;
}

export const planNames = ["free", "team", "enterprise"] as const;
export type PlanName = (typeof planNames)[number];

export const plans: Record<PlanName, Plan> = {
  free: { maxConcurrentSandboxes: 3, runningHoursPerMonth: 50, sparesPerProject: 0 },
  team: { maxConcurrentSandboxes: 20, runningHoursPerMonth: 2_000, sparesPerProject: 1 },
  enterprise: { maxConcurrentSandboxes: null, runningHoursPerMonth: null, sparesPerProject: 2 },
};

const hourMs = 3_600_000;

/** True if the plan allows no further session sandbox. */
export function isAtSandboxLimit(plan: PlanName, runningSandboxes: number): boolean {
  const limit = plans[plan].maxConcurrentSandboxes;
  return limit !== null && runningSandboxes >= limit;
}

/** What a workspace that is blocked on billing is refused with. */
export const allowanceUsedUp = refuse(
  "CREDIT_LIMIT_REACHED",
  "The workspace has used up the running time of its plan for this month. An owner or admin can change the plan; else wait for the next month.",
);

/** True if the workspace has used up the month's running time, and is blocked on billing. */
export function isOverAllowance(plan: PlanName, runningMsThisMonth: number): boolean {
  const hours = plans[plan].runningHoursPerMonth;
  return hours !== null && runningMsThisMonth >= hours * hourMs;
}
