// The allowance of a preview under the plan of its workspace (Part 1, "Preview rules", 1).
import { isAtSandboxLimit, isOverAllowance, type PlanName, plans } from "../workspace/plan.ts";

export interface PreviewAllowance {
  /** The workspace has used up this month's running time. */
  isBlockedOnBilling: boolean;
  /** Waking its sandbox takes a slot of a limited plan. The main sandbox takes none. */
  takesSlot: boolean;
  /** No such slot is left. */
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
    // A slot that is claimed for its own start does not count.
    isAtSandboxLimit: takesSlot && isAtSandboxLimit(plan, slotsTaken - (slot === null ? 0 : 1)),
  };
}
