// A model call at the cost of its payer: with the workspace's credential, or with the logins of a member's subscription in their order.
import type { Env } from "../env.ts";
import { loginsToTry } from "../rules/model/login-order.ts";
import type { ProviderId } from "../rules/model/provider.ts";
import { subscriptionTrouble } from "../rules/model/subscription-trouble.ts";
import { loginNameOf } from "../storage/queries/logins.ts";
import { openCredential } from "./logins.ts";
import type { PayerLogins } from "./payer.ts";
import { callWithCredential, failure } from "./provider-call.ts";
import { providers } from "./providers.ts";

export interface PayerCall extends PayerLogins {
  provider: ProviderId;
  /** The path at the provider, with its query. */
  path: string;
  request: Request;
}

/** Calls a provider at the cost of a payer. */
export async function callAsPayer(env: Env, call: PayerCall): Promise<Response> {
  const { payer, person, logins, provider, path, request } = call;
  const now = Date.now();
  const [login] = payer.type === "workspace" ? logins : loginsToTry(logins, now);
  if (login) {
    const name = loginNameOf(login);
    return await callWithCredential(env, { name, path, request, credential: await openCredential(env, name, login) });
  }
  const { name } = providers[provider];
  if (payer.type === "member") {
    const { code, message } = subscriptionTrouble({ providerName: name, person, logins }, now);
    return failure(code, message);
  }
  const missing = `The workspace has no ${name} API key. An owner or admin can add one under its credentials.`;
  return failure("provider_unauthorized", missing);
}
