// Signing in at a model provider, for the caller or for the credential of a workspace.

import type { Caller } from "../../access/rules/caller.ts";
import type { Env } from "../../env.ts";
import { endpoint } from "../../http/endpoint.ts";
import { checkKeyTrialLimit } from "../../http/rate-limit.ts";
import { ok } from "../../http/response.ts";
import { parseSignInProvider } from "../../model/rules/provider.ts";
import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";
import { finishSignIn, startSignIn } from "../connect/attempt.ts";
import type { SignInClaim } from "../rules/sign-in.ts";
import {
  finishBodySchema,
  isConnected,
  signInAnswerSchema,
  startedSignInSchema,
  toWireSignIn,
} from "../wire/connect.ts";

const ofUser = { path: "/api/user/subscriptions/login/{provider}", tag: "Account" } as const;
const ofWorkspace = {
  path: "/api/organizations/{workspaceId}/credentials/login/{provider}",
  tag: "Workspaces",
} as const;

/** Whose sign-in it is, without the provider. */
type Claimant = Omit<SignInClaim, "provider">;

const toOwnClaimant = (userId: string): Claimant => ({ owner: { type: "member", id: userId }, callerId: userId });
const toWorkspaceClaimant = (workspaceId: string, { user, keyId }: Caller): Claimant => ({
  owner: { type: "workspace", id: workspaceId },
  callerId: user?.id ?? keyId,
});

/** Refused for an unknown provider, and for a caller who has tried too often. */
async function createClaim(env: Env, now: number, claimant: Claimant, named: string): Promise<SignInClaim | Refusal> {
  const provider = parseSignInProvider(named);
  if (isRefusal(provider)) return provider;
  return (await checkKeyTrialLimit(env, claimant.callerId, now)) ?? { ...claimant, provider };
}

async function begin(env: Env, now: number, claimant: Claimant, provider: string) {
  const claim = await createClaim(env, now, claimant, provider);
  if (isRefusal(claim)) return claim;
  const started = await startSignIn(env, claim, now);
  return isRefusal(started) ? started : ok(toWireSignIn(started));
}

async function complete(
  env: Env,
  now: number,
  claimant: Claimant,
  provider: string,
  body: Parameters<typeof finishSignIn>[2],
) {
  const claim = await createClaim(env, now, claimant, provider);
  if (isRefusal(claim)) return claim;
  const answer = await finishSignIn(env, claim, body);
  return isRefusal(answer) ? answer : ok(answer);
}

const beginOwn = endpoint({
  ...ofUser,
  method: "POST",
  operation: "beginSignIn",
  audit: { isChange: isConnected },
  summary:
    "Begin to sign in with a subscription of your own. For anthropic in the browser, for openai by device code. A login token lives 15 minutes.",
  access: "subscription.change",
  noun: "none",
  response: { status: 200, data: startedSignInSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  handle: async ({ env, now, caller: { user }, params }) =>
    user ? await begin(env, now, toOwnClaimant(user.id), params.provider) : refuse("FORBIDDEN"),
});

const completeOwn = endpoint({
  ...ofUser,
  method: "POST",
  path: `${ofUser.path}/complete`,
  operation: "completeSignIn",
  audit: { isChange: isConnected },
  summary:
    "Finish a sign-in, or ask whether the device code is approved. An account that is already connected is replaced.",
  access: "subscription.change",
  noun: "none",
  body: { schema: finishBodySchema },
  response: { status: 200, data: signInAnswerSchema },
  refusals: ["BAD_REQUEST", "PROVIDER_LOGIN_LIMIT", "SERVICE_UNAVAILABLE"],
  handle: async ({ env, now, caller: { user }, params, body }) =>
    user ? await complete(env, now, toOwnClaimant(user.id), params.provider, body) : refuse("FORBIDDEN"),
});

const beginForWorkspace = endpoint({
  ...ofWorkspace,
  method: "POST",
  operation: "beginWorkspaceSignIn",
  audit: { isChange: isConnected },
  summary: "Begin to connect an account that pays for a workspace. Owner and admins.",
  access: "workspace-credential.manage",
  noun: "workspace",
  response: { status: 200, data: startedSignInSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  handle: async ({ env, now, caller, found, params }) =>
    await begin(env, now, toWorkspaceClaimant(found.workspace.id, caller), params.provider),
});

const completeForWorkspace = endpoint({
  ...ofWorkspace,
  method: "POST",
  path: `${ofWorkspace.path}/complete`,
  operation: "completeWorkspaceSignIn",
  audit: { isChange: isConnected },
  summary: "Finish a workspace's sign-in, or ask whether the device code is approved. Owner and admins.",
  access: "workspace-credential.manage",
  noun: "workspace",
  body: { schema: finishBodySchema },
  response: { status: 200, data: signInAnswerSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  handle: async ({ env, now, caller, found, params, body }) =>
    await complete(env, now, toWorkspaceClaimant(found.workspace.id, caller), params.provider, body),
});

export const signInRoutes = [beginOwn, completeOwn];
export const credentialSignInRoutes = [beginForWorkspace, completeForWorkspace];
