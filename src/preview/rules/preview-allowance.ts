// The allowance of a preview under the plan of its workspace (Part 1, "Preview rules", 1).
import { isOverAllowance, type PlanName, plans, sandboxLimitMet } from "../../workspace/rules/billing-plan.ts";

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
  /** By all workspaces on this plan that the workspace's owner owns. */
  slotsOfOwner: number;
  /** The slot of the preview's own sandbox; null without one. */
  slot: "claimed" | "starting" | "running" | null;
}

export function previewAllowance(
  { plan, runningMsThisMonth, slotsTaken, slotsOfOwner, slot }: PlanUsage,
  isOfSession: boolean,
): PreviewAllowance {
  const isUp = slot === "starting" || slot === "running";
  const takesSlot = isOfSession && !isUp && plans[plan].maxConcurrentSandboxes !== null;
  // A slot that is claimed for its own start does not count.
  const own = slot === null ? 0 : 1;
  const others = { ofWorkspace: slotsTaken - own, ofOwner: slotsOfOwner - own };
  return {
    isBlockedOnBilling: isOverAllowance(plan, runningMsThisMonth),
    takesSlot,
    isAtSandboxLimit: takesSlot && sandboxLimitMet(plan, others) !== null,
  };
}
