// Spend limits (`session/rules/spend-limit.ts` checks them before a turn of a session): what
// model calls on the workspace's credentials may cost, for a workspace per month and for a
// session in total. Calls on a member's subscription cost the workspace nothing, and continue. A
// turn counts all of its own calls. For concurrent turns, it counts what was reported to the
// workspace. So a workspace's limit may be exceeded by what those cost in `usageReportMs`, and
// any limit by the calls in progress when it is reached.
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { toUsd } from "./usage.ts";

/** The limit, and what was spent. */
export interface Spend {
  /** US dollars; null for no limit. */
  limitUsd: number | null;
  spentNanoUsd: number;
}

/** The two limits of a turn on the workspace's credentials. */
export interface Spends {
  /** Of this month. */
  workspace: Spend;
  session: Spend;
}

export const noSpend: Spend = { limitUsd: null, spentNanoUsd: 0 };

/**
 * The cost of a piece of work this month: as counted by its object, and as already included in the
 * workspace's spend.
 */
export interface WorkCost {
  countedNanoUsd: number;
  reportedNanoUsd: number;
}

/** A workspace's spend including all of a piece of work, of which less may have been reported. */
export function withWork(spend: Spend, { countedNanoUsd, reportedNanoUsd }: WorkCost): Spend {
  return { ...spend, spentNanoUsd: spend.spentNanoUsd + Math.max(0, countedNanoUsd - reportedNanoUsd) };
}

/** True once the limit is reached. */
export function isSpent({ limitUsd, spentNanoUsd }: Spend): boolean {
  return limitUsd !== null && toUsd(spentNanoUsd) >= limitUsd;
}

/** Why nothing more may be spent, and what to do; null below the limits. */
export function findSpentReason({ workspace, session }: Spends): string | null {
  if (isSpent(workspace)) {
    return (
      `The workspace has reached its spend limit of ${amount(workspace)} this month. An owner or admin can raise it with ` +
      "PATCH /api/organizations/{workspaceId}; a turn on a member's own subscription continues."
    );
  }
  if (!isSpent(session)) return null;
  return `The session has reached its spend limit of ${amount(session)}. A member can raise its spendLimitUsd with PUT on the session.`;
}

/** Refuses CREDIT_LIMIT_REACHED for a turn that would start over a limit. */
export function checkSpends(spends: Spends): Refusal | null {
  const reason = findSpentReason(spends);
  return reason === null ? null : refuse("CREDIT_LIMIT_REACHED", reason);
}

/** The error code of a turn that ends at a limit. */
export const spentCode = "credit_limit_reached" as const;

/** Such as `$5`, `$0.50` or `$0.0001`. */
function amount({ limitUsd }: Spend): string {
  const digits = { maximumFractionDigits: 9, trailingZeroDisplay: "stripIfInteger" } as const;
  return (limitUsd ?? 0).toLocaleString("en-US", { style: "currency", currency: "USD", ...digits });
}
