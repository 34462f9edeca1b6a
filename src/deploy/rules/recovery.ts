// The recovery of a live project whose main sandbox is gone: the service starts a Deploy by itself
// (Part 2, "Deploy").

import { decided } from "../../rules/decision.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { noSpend } from "../../usage/rules/spend-limit.ts";
import type { BillingFacts } from "./billing.ts";
import type { ProjectDecision, ProjectState } from "./project-state.ts";
import { startDeploy } from "./start.ts";
import { isAtWork } from "./status.ts";

/** After a failed Recovery Deploy, the service starts no other for this long. */
export const recoveryPauseMs = 10 * 60_000;

export interface RecoveryCommand {
  deployId: string;
  /** The key of the sandbox to create. */
  sandboxKey: string;
  /** The key of the main sandbox that is gone. */
  lostKey: string;
}

const reason = "The main sandbox was lost, so the service is starting it again.";

/**
 * Starts a Recovery Deploy, and returns whether it did. It delays no session, and its agent works
 * only if setup or a service fails.
 */
export function recoverMain(
  state: ProjectState,
  { deployId, sandboxKey, lostKey }: RecoveryCommand,
  { isBlockedOnBilling }: Pick<BillingFacts, "isBlockedOnBilling">,
  now: number,
): ProjectDecision<boolean> {
  const { deploy, liveSandboxKey } = state;
  if (liveSandboxKey !== lostKey || (deploy !== null && isAtWork(deploy.status))) return decided(state, false);
  const hasFailed = deploy?.trigger === "system" && deploy.status === "failed";
  if (hasFailed && now - (deploy.completedAt ?? 0) < recoveryPauseMs) return decided(state, false);
  // A Recovery Deploy usually needs no agent. If it does, the model gateway enforces the spend
  // limit for the turn.
  const facts = { isBlockedOnBilling, workspaceSpend: noSpend };
  const started = startDeploy(state, { deployId, sandboxKey, by: null, reason, opening: null }, facts, now);
  return isRefusal(started) ? decided(state, false) : { ...started, result: true };
}
