// A model call at the cost of its payer: with the workspace's credential, or on a member's
// subscription.
import type { Env } from "../env.ts";
import { providers } from "../model/providers.ts";
import { unsealCredential } from "../provider-login/credentials.ts";
import { notifyTurnsOfPayer } from "../provider-login/invalidate-payer.ts";
import { getLoginName, type LoginRow, updateCredential } from "../provider-login/queries/logins.ts";
import { findSpentReason, noSpend, spentCode } from "../usage/rules/spend-limit.ts";
import type { PayerCall } from "./payer.ts";
import { callOnSubscription } from "./subscription-call.ts";
import { callWithCredential, createFailure } from "./upstream.ts";

/** Calls a provider at the cost of a payer. */
export async function callAsPayer(env: Env, call: PayerCall): Promise<Response> {
  const { payer, logins, provider, path, request } = call;
  if (payer.type === "member") return await callOnSubscription(env, call);
  const spent = findSpentReason({ workspace: call.spend, session: noSpend });
  if (spent !== null) return createFailure(spentCode, spent);
  const [login] = logins;
  if (login) {
    const name = getLoginName(login);
    const credential = await unsealCredential(env, name, login);
    const response = await callWithCredential(env, { name, path, request, credential });
    if (credential.kind === "key") await recordKeyStatus(env, login, response);
    return response;
  }
  const { name } = providers[provider];
  const missing = `The workspace has no ${name} API key. An owner or admin can add one under its credentials.`;
  return createFailure("provider_unauthorized", missing);
}

/**
 * Marks a workspace's key that its provider refuses, so that no new work chooses the provider. A
 * running turn whose call succeeds clears the mark. All turns read the key again after a change,
 * because they may have cached it with its earlier mark.
 */
async function recordKeyStatus(env: Env, login: LoginRow, { status, ok }: Response): Promise<void> {
  const needsReauth = status === 401;
  if (login.needsReauth === needsReauth || !(ok || needsReauth)) return;
  if (await updateCredential(env.DB, getLoginName(login), login, { needsReauth }))
    await notifyTurnsOfPayer(env, login.ownerId);
}
