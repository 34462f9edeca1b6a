// What a workspace has to have left for work in a Deploy to start. A Deploy runs on the workspace's
// credentials alone (Part 2, "Deploys").

import type { Refusal } from "../../rules/refusal.ts";
import { checkSpends, noSpend, type Spend } from "../../usage/rules/spend-limit.ts";
import { allowanceUsedUp } from "../../workspace/rules/billing-plan.ts";

export interface BillingFacts {
  /** The running time of the plan is used up. */
  isBlockedOnBilling: boolean;
  /** Of this month. */
  workspaceSpend: Spend;
}

/**
 * Refuses CREDIT_LIMIT_REACHED where the plan's running time or the spend limit is used up, with
 * what to do about either.
 */
export function checkBilling({ isBlockedOnBilling, workspaceSpend }: BillingFacts): Refusal | null {
  if (isBlockedOnBilling) return allowanceUsedUp;
  return checkSpends({ workspace: workspaceSpend, session: noSpend });
}
