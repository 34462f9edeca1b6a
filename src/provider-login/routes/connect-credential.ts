// Signing in at a model provider, for a workspace's credential.

import type { Caller } from "../../access/rules/caller.ts";
import { endpoint } from "../../http/endpoint.ts";
import { checkKeyTrialLimit } from "../../http/rate-limit.ts";
import { ok } from "../../http/response.ts";
import { type ProviderId, parseSignInProvider } from "../../model/rules/provider.ts";
import { isRefusal } from "../../rules/refusal.ts";
import { finishSignIn, startSignIn } from "../connect/attempt.ts";
import type { SignInClaim } from "../rules/sign-in.ts";
import {
  finishBodySchema,
  isConnected,
  signInAnswerSchema,
  startedSignInSchema,
  toWireSignIn,
} from "../wire/connect.ts";

const path = "/api/organizations/{workspaceId}/credentials/login/{provider}";
const tag = "Workspaces";

const createClaim = (workspaceId: string, provider: ProviderId, { user, keyId }: Caller): SignInClaim => ({
  owner: { type: "workspace", id: workspaceId },
  provider,
  callerId: user?.id ?? keyId,
});

const begin = endpoint({
  method: "POST",
  path,
  operation: "beginWorkspaceSignIn",
  audit: { isChange: isConnected },
  summary: "Begin to sign in with an account that will pay for a workspace. Owner and admins.",
  tag,
  access: "workspace-credential.manage",
  noun: "workspace",
  answers: { status: 200, data: startedSignInSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller, found, params }) {
    const provider = parseSignInProvider(params.provider);
    if (isRefusal(provider)) return provider;
    const claim = createClaim(found.workspace.id, provider, caller);
    const excess = await checkKeyTrialLimit(env, claim.callerId, now);
    if (excess) return excess;
    const begun = await startSignIn(env, claim, now);
    return isRefusal(begun) ? begun : ok(toWireSignIn(begun));
  },
});

const complete = endpoint({
  method: "POST",
  path: `${path}/complete`,
  operation: "completeWorkspaceSignIn",
  audit: { isChange: isConnected },
  summary:
    "Finish a workspace's sign-in, which replaces its credential there; or ask whether the device code is approved. Owner and admins.",
  tag,
  access: "workspace-credential.manage",
  noun: "workspace",
  body: { schema: finishBodySchema },
  answers: { status: 200, data: signInAnswerSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller, found, params, body }) {
    const provider = parseSignInProvider(params.provider);
    if (isRefusal(provider)) return provider;
    const claim = createClaim(found.workspace.id, provider, caller);
    const excess = await checkKeyTrialLimit(env, claim.callerId, now);
    if (excess) return excess;
    const answer = await finishSignIn(env, claim, body);
    return isRefusal(answer) ? answer : ok(answer);
  },
});

export const credentialSignInRoutes = [begin, complete];
