// What a payer has at a provider, as it is read for a model call.

import type { Spend } from "../../usage/rules/spend-limit.ts";
import type { Payer } from "../rules/payer.ts";
import type { LoginRow } from "./logins.ts";

export interface PayerLogins {
  payer: Payer;
  /** The name of a user who pays; null for the workspace. */
  person: string | null;
  /** False for a user who has left the workspace. */
  isMember: boolean;
  /** In the order of the subscription. */
  logins: LoginRow[];
  /** What the workspace may spend, where it pays. */
  spend: Spend;
  /** What of that spend is the piece of work that calls, in nano-dollars. */
  toldNanoUsd: number;
  /** True if the piece of work that calls is a session's turn that the index shows at work. */
  isTurnIndexed: boolean;
}
