// The budget that a workspace must have left before work in a Deploy starts. A Deploy uses only the
// workspace's credentials (Part 2, "Deploys").

import type { Refusal } from "../../rules/refusal.ts";
import { checkSpends, noSpend, type Spend } from "../../usage/rules/spend-limit.ts";
import { allowanceUsedUp } from "../../workspace/rules/billing-block.ts";

export interface BillingFacts {
  /** True if the running time of the plan is used up. */
  isBlockedOnBilling: boolean;
  /** The spend of this month. */
  workspaceSpend: Spend;
}

/**
 * Refuses CREDIT_LIMIT_REACHED if the plan's running time or the spend limit is used up. The
 * refusal says what to do about either.
 */
export function checkBilling({ isBlockedOnBilling, workspaceSpend }: BillingFacts): Refusal | null {
  if (isBlockedOnBilling) return allowanceUsedUp;
  return checkSpends({ workspace: workspaceSpend, session: noSpend });
}
