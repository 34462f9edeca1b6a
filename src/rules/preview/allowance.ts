// The allowance of a preview: what the plan of its workspace lets it do now (Part 1, "Preview rules", 1).
import { isAtSandboxLimit, isOverAllowance, type PlanName, plans } from "../workspace/plan.ts";

export interface PreviewAllowance {
  /** The workspace has used up what its plan allows it to run this month. */
  isBlockedOnBilling: boolean;
  /** To wake its sandbox takes a slot of a plan that has only so many. The main sandbox takes none. */
  takesSlot: boolean;
  /** Of these, none is left. */
  isAtSandboxLimit: boolean;
}

/** What a workspace uses of its plan. */
export interface PlanUsage {
  plan: PlanName;
  runningMsThisMonth: number;
  slotsTaken: number;
  /** The slot of the preview's own sandbox; null without one. */
  slot: "claimed" | "starting" | "running" | null;
}

export function previewAllowance(
  { plan, runningMsThisMonth, slotsTaken, slot }: PlanUsage,
  isOfSession: boolean,
): PreviewAllowance {
  const isUp = slot === "starting" || slot === "running";
  const takesSlot = isOfSession && !isUp && plans[plan].maxConcurrentSandboxes !== null;
  return {
    isBlockedOnBilling: isOverAllowance(plan, runningMsThisMonth),
    takesSlot,
    // A slot that is claimed for a start is its own.
    isAtSandboxLimit: takesSlot && isAtSandboxLimit(plan, slotsTaken - (slot === null ? 0 : 1)),
  };
}
