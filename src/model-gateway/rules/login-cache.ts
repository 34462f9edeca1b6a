// What a payer has at a provider, kept by a turn for its next model calls, which then read nothing.
// A turn keeps it only where it is told of every change (`tellTurnsOfPayer`): a disconnected or
// replaced credential and a new limit count from the next call.

import type { Payer } from "../../provider-login/rules/payer.ts";
import type { Spend } from "../../usage/rules/spend-limit.ts";

/** How long it is kept, in milliseconds, should a change not be told. */
export const loginsKeptMs = 60_000;

/** What decides whether logins may be kept. */
export interface LoginsToKeep {
  payer: Payer;
  logins: { kind: "key" | "login" }[];
  spend: Spend;
  /**
   * True if the index, as it was read with the logins, shows their turn at work: who changes them
   * finds the turn there.
   */
  isTurnIndexed: boolean;
}

/**
 * True for a workspace's key without a limit. A member may leave, and a member's logins are marked
 * and change their order; a login of any payer is refreshed; and what is left of a limit depends on
 * the turns beside this one. All these are read at every call.
 */
export function mayKeepLogins({ payer, logins, spend, isTurnIndexed }: LoginsToKeep): boolean {
  const [login, ...others] = logins;
  return (
    isTurnIndexed &&
    payer.type === "workspace" &&
    spend.limitUsd === null &&
    others.length === 0 &&
    login?.kind === "key"
  );
}
