// A plan: what a workspace may run. Sandboxes at once are those of sessions; running time is that of every sandbox of the workspace.

export interface Plan {
  /** Null when the plan sets no limit. */
  maxConcurrentSandboxes: number | null;
  /** Running time of all sandboxes in one month; null when the plan has no allowance. */
  runningHoursPerMonth: number | null;
}

export const planNames = ["free", "team", "enterprise"] as const;
export type PlanName = (typeof planNames)[number];

export const plans: Record<PlanName, Plan> = {
  free: { maxConcurrentSandboxes: 3, runningHoursPerMonth: 50 },
  team: { maxConcurrentSandboxes: 20, runningHoursPerMonth: 2_000 },
  enterprise: { maxConcurrentSandboxes: null, runningHoursPerMonth: null },
};

const hourMs = 3_600_000;

/** True when one more session sandbox would pass the plan's limit. */
export function isAtSandboxLimit(plan: PlanName, runningSandboxes: number): boolean {
  const limit = plans[plan].maxConcurrentSandboxes;
  return limit !== null && runningSandboxes >= limit;
}

/** True when the workspace has used up the month's allowance and is blocked on billing. */
export function isOverAllowance(plan: PlanName, runningMsThisMonth: number): boolean {
  const hours = plans[plan].runningHoursPerMonth;
  return hours !== null && runningMsThisMonth >= hours * hourMs;
}
