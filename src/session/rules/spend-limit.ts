// Checks the spend limits of a session's workspace and of the session itself before a turn starts.

import type { CallerFacts } from "../../access/rules/permission-table.ts";
import { findProvider } from "../../model/rules/model.ts";
import type { ProviderId } from "../../model/rules/provider.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { checkSpends, type Spend } from "../../usage/rules/spend-limit.ts";
import type { Session } from "./session.ts";

export interface SpendFacts {
  /** The spend of this month. */
  workspaceSpend: Spend;
  /** What the session's turns have cost the workspace so far. */
  sessionNanoUsd: number;
  /** The providers that the session runs on a member's subscription, which no limit stops. */
  subscribed: ReadonlySet<ProviderId>;
}

/** Refuses CREDIT_LIMIT_REACHED for a turn on this model that would start over a limit. */
export function checkSpend(
  { spendLimitUsd }: Pick<Session, "spendLimitUsd">,
  model: string | null,
  { workspaceSpend, sessionNanoUsd, subscribed }: SpendFacts,
): Refusal | null {
  const provider = findProvider(model);
  if (provider !== null && subscribed.has(provider)) return null;
  return checkSpends({ workspace: workspaceSpend, session: { limitUsd: spendLimitUsd, spentNanoUsd: sessionNanoUsd } });
}

/**
 * Only people set limits: an agent or a cron run would lift its own. An agent that a person
 * connected sets one when it starts a session, and changes none.
 */
export function checkLimitChange({ kind }: Pick<CallerFacts, "kind">): Refusal | null {
  if (kind === "browser" || kind === "api-key" || kind === "client") return null;
  return refuse("FORBIDDEN", "Only a person sets spendLimitUsd. Leave it out.");
}
