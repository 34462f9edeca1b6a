// The payer of a model call, and the logins that it uses.
import type { Env } from "../env.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import {
  findWorkspaceLogin,
  listMemberLogins,
  type PayerLogins,
  toWorkspaceLogins,
} from "../provider-login/queries/logins.ts";
import { findProviderLogin } from "../provider-login/queries/subscriptions.ts";
import { type Payer, toPayer } from "../provider-login/rules/payer.ts";
import { noSpend } from "../usage/rules/spend-limit.ts";

/**
 * Settles the current payer at a provider. `subscriber` is the member whose subscriptions are
 * checked first.
 */
export async function getPayer(
  env: Pick<Env, "DB">,
  { subscriber, ...at }: { workspaceId: string; subscriber: string | null; provider: ProviderId },
): Promise<Payer> {
  const held = subscriber === null ? [] : await findProviderLogin(env.DB, { ...at, userId: subscriber });
  return toPayer(subscriber, held.length > 0);
}

/** A call to a provider at the cost of a payer. */
export interface PayerCall extends Omit<PayerLogins, "reportedNanoUsd" | "isTurnIndexed"> {
  provider: ProviderId;
  /** The path at the provider, with its query. */
  path: string;
  request: Request;
}

/**
 * Reads what a payer has at a provider, in one round trip. A member who has left the workspace no
 * longer pays for it. `workId` is the id of the turn or command that makes the call, if any, and
 * `ownerId` the id of its owner.
 */
export async function listPayerLogins(
  env: Pick<Env, "DB">,
  { payer, ...at }: { workspaceId: string; payer: Payer; provider: ProviderId; workId?: string; ownerId?: string },
): Promise<PayerLogins> {
  switch (payer.type) {
    case "workspace":
      return toWorkspaceLogins(await findWorkspaceLogin(env.DB, at));
    case "member":
      return {
        payer,
        ...(await listMemberLogins(env.DB, { ...at, userId: payer.userId })),
        spend: noSpend,
        reportedNanoUsd: 0,
        isTurnIndexed: false,
      };
  }
}
