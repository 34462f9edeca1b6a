// The interface of a provider login object.

import type { LoginName } from "../../src/provider-login/rules/login.ts";
import type { MarkedUsage } from "../../src/provider-login/rules/plan-usage.ts";
import type { SignInAnswer } from "../../src/provider-login/rules/sign-in.ts";
import type { Refusal } from "../../src/rules/refusal.ts";

export type Refreshed =
  /** `sealed` is the stored, sealed text of the token. */
  | { type: "refreshed"; accessToken: string; sealed: string }
  /** The provider no longer accepts the login. */
  | { type: "needs-reauth" }
  /** The operator has no client at the provider. */
  | { type: "no-client" }
  /** The provider does not accept the operator's client. */
  | { type: "client-refused" }
  | { type: "unavailable" };

/**
 * The provider login object: one per login, so that it is refreshed once, however many calls find
 * it expired.
 */
export interface ProviderLoginRpc extends Rpc.DurableObjectBranded {
  /**
   * Returns an access token that is newer than the one in `seen`, the sealed text that the caller
   * read.
   */
  refresh(name: LoginName, seen: string): Promise<Refreshed>;
  /**
   * How much of the login's usage windows is used, as its provider reports it. Read at most once in
   * 30 seconds, however many callers ask.
   */
  usage(name: LoginName): Promise<MarkedUsage>;
  /**
   * Seals the stored credential again, with the first key. Returns null, or the reason of a
   * failure.
   */
  reseal(name: LoginName): Promise<string | null>;
  /**
   * Finishes a sign-in that creates this login. `pasted` is what the person brought back from the
   * browser. Calls for one attempt wait for each other.
   */
  finishSignIn(tokenHash: string, pasted: string | null): Promise<SignInAnswer | Refusal>;
}
