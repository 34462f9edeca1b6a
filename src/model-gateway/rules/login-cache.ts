// The logins of a payer at a provider, cached by a turn so that its next model calls read nothing.
// They are cached only if the turn is notified of every change (`notifyTurnsOfPayer`): a
// disconnected or replaced credential and a new limit apply from the next call.

import type { Payer } from "../../provider-login/rules/payer.ts";
import type { Spend } from "../../usage/rules/spend-limit.ts";

/** The lifetime of the cache in milliseconds, in case a notification of a change is lost. */
export const loginsKeptMs = 60_000;

/** The facts that decide whether logins may be cached. */
export interface LoginsToKeep {
  payer: Payer;
  logins: { kind: "key" | "login"; needsReauth: boolean }[];
  spend: Spend;
  /**
   * True if the index showed the turn as running when the logins were read. Only then does a change
   * of the logins find the turn and notify it.
   */
  isTurnIndexed: boolean;
}

/**
 * True for a workspace's key without a limit. Everything else is read at every call: a member may
 * leave, a member's logins are marked and change their order, a login of any payer is refreshed,
 * and what is left of a limit depends on the other turns. The mark of a refused key is compared
 * with the outcome of each call.
 */
export function mayKeepLogins({ payer, logins, spend, isTurnIndexed }: LoginsToKeep): boolean {
  const [login, ...others] = logins;
  return (
    isTurnIndexed &&
    payer.type === "workspace" &&
    spend.limitUsd === null &&
    others.length === 0 &&
    login?.kind === "key" &&
    !login.needsReauth
  );
}
