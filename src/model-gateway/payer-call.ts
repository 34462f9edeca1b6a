// A model call at the cost of its payer: with the workspace's credential, or on a member's
// subscription.
import type { Env } from "../env.ts";
import { providers } from "../model/providers.ts";
import { openCredential } from "../provider-login/credentials.ts";
import { loginNameOf } from "../provider-login/queries/logins.ts";
import { noSpend, spentCode, spentReason } from "../usage/rules/spend-limit.ts";
import type { PayerCall } from "./payer.ts";
import { callOnSubscription } from "./subscription-call.ts";
import { callWithCredential, failure } from "./upstream.ts";

/** Calls a provider at the cost of a payer. */
export async function callAsPayer(env: Env, call: PayerCall): Promise<Response> {
  const { payer, logins, provider, path, request } = call;
  if (payer.type === "member") return await callOnSubscription(env, call);
  const spent = spentReason({ workspace: call.spend, session: noSpend });
  if (spent !== null) return failure(spentCode, spent);
  const [login] = logins;
  if (login) {
    const name = loginNameOf(login);
    return await callWithCredential(env, { name, path, request, credential: await openCredential(env, name, login) });
  }
  const { name } = providers[provider];
  const missing = `The workspace has no ${name} API key. An owner or admin can add one under its credentials.`;
  return failure("provider_unauthorized", missing);
}
