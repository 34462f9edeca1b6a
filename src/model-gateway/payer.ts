// Who pays for a model call, and with which logins.
import type { Env } from "../env.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { loginsOfMember, loginsOfWorkspace, type PayerLogins } from "../provider-login/queries/logins.ts";
import { holdsLogin } from "../provider-login/queries/subscriptions.ts";
import { type Payer, payerAt } from "../provider-login/rules/payer.ts";
import { noSpend } from "../usage/rules/spend-limit.ts";

/**
 * Settles who pays at a provider, as it stands now. `subscriber` is the member whose subscriptions
 * are asked first.
 */
export async function settlePayer(
  env: Pick<Env, "DB">,
  { subscriber, ...at }: { workspaceId: string; subscriber: string | null; provider: ProviderId },
): Promise<Payer> {
  const held = subscriber === null ? [] : await holdsLogin(env.DB, { ...at, userId: subscriber });
  return payerAt(subscriber, held.length > 0);
}

/** A call to a provider at the cost of a payer. */
export interface PayerCall extends Omit<PayerLogins, "toldNanoUsd" | "isTurnIndexed"> {
  provider: ProviderId;
  /** The path at the provider, with its query. */
  path: string;
  request: Request;
}

/**
 * Reads what a payer has at a provider, in one round trip. Who has left the workspace pays nothing
 * there any more. `workId` names the turn or command that calls, if it is one, and `ownerId` its
 * owner.
 */
export async function payerLogins(
  env: Pick<Env, "DB">,
  { payer, ...at }: { workspaceId: string; payer: Payer; provider: ProviderId; workId?: string; ownerId?: string },
): Promise<PayerLogins> {
  switch (payer.type) {
    case "workspace":
      return { payer, person: null, isMember: true, ...(await loginsOfWorkspace(env.DB, at)) };
    case "member":
      return {
        payer,
        ...(await loginsOfMember(env.DB, { ...at, userId: payer.userId })),
        spend: noSpend,
        toldNanoUsd: 0,
        isTurnIndexed: false,
      };
  }
}
