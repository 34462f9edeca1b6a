// Spend limits: what model calls on the workspace's credentials may cost, a workspace's in a month
// and a session's in all. Calls on a member's subscription cost the workspace nothing, and go on. A
// turn counts all of its own calls. Of the turns beside it, it counts what the workspace was told:
// a workspace's limit may be overshot by what those cost in `usageTellingMs`, and any limit by the
// calls under way as it is reached.
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { inUsd } from "./usage.ts";

/** What may be spent, and what was. */
export interface Spend {
  /** US dollars; null for no limit. */
  limitUsd: number | null;
  spentNanoUsd: number;
}

/** Both that a turn on the workspace's credentials is held to. */
export interface Spends {
  /** Of this month. */
  workspace: Spend;
  session: Spend;
}

export const noSpend: Spend = { limitUsd: null, spentNanoUsd: 0 };

/**
 * What a piece of work has cost this month: as its object has counted it, and as the spend of the
 * workspace has it so far.
 */
export interface WorkCost {
  countedNanoUsd: number;
  toldNanoUsd: number;
}

/** A workspace's spend with all of a piece of work, of which it may have been told less. */
export function withWork(spend: Spend, { countedNanoUsd, toldNanoUsd }: WorkCost): Spend {
  return { ...spend, spentNanoUsd: spend.spentNanoUsd + Math.max(0, countedNanoUsd - toldNanoUsd) };
}

/** True once the limit is reached. */
export function isSpent({ limitUsd, spentNanoUsd }: Spend): boolean {
  return limitUsd !== null && inUsd(spentNanoUsd) >= limitUsd;
}

/** Why nothing more is spent, and what to do; null while something may be. */
export function spentReason({ workspace, session }: Spends): string | null {
  if (isSpent(workspace)) {
    return (
      `The workspace has reached its spend limit of ${amount(workspace)} this month. An owner or admin can raise it with ` +
      "PATCH /api/organizations/{workspaceId}; a turn on a member's own subscription goes on."
    );
  }
  if (!isSpent(session)) return null;
  return `The session has reached its spend limit of ${amount(session)}. A member can raise its spendLimitUsd with PUT on the session.`;
}

/** Refuses CREDIT_LIMIT_REACHED for a turn that would start over a limit. */
export function checkSpends(spends: Spends): Refusal | null {
  const reason = spentReason(spends);
  return reason === null ? null : refuse("CREDIT_LIMIT_REACHED", reason);
}

/** The error code of a turn that ends at a limit. */
export const spentCode = "credit_limit_reached" as const;

function amount({ limitUsd }: Spend): string {
  return `$${limitUsd}`;
}
