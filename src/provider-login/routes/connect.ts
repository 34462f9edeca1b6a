// Signing in at a model provider, for the caller's own subscription.

import { endpoint } from "../../http/endpoint.ts";
import { checkKeyTrialLimit } from "../../http/rate-limit.ts";
import { ok } from "../../http/response.ts";
import { type ProviderId, parseSignInProvider } from "../../model/rules/provider.ts";
import { isRefusal, refuse } from "../../rules/refusal.ts";
import { finishSignIn, startSignIn } from "../connect/attempt.ts";
import type { SignInClaim } from "../rules/sign-in.ts";
import {
  finishBodySchema,
  isConnected,
  signInAnswerSchema,
  startedSignInSchema,
  toWireSignIn,
} from "../wire/connect.ts";

const path = "/api/user/subscriptions/login/{provider}";
const tag = "Account";

const createClaim = (userId: string, provider: ProviderId): SignInClaim => ({
  owner: { type: "member", id: userId },
  provider,
  callerId: userId,
});

const begin = endpoint({
  method: "POST",
  path,
  operation: "beginSignIn",
  audit: { isChange: isConnected },
  summary:
    "Begin to sign in with a subscription of your own. For anthropic in the browser, for openai by device code. A login token lives 15 minutes.",
  tag,
  access: "subscription.change",
  noun: "none",
  answers: { status: 200, data: startedSignInSchema },
  refusals: ["BAD_REQUEST", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller: { user }, params }) {
    const provider = parseSignInProvider(params.provider);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    const excess = await checkKeyTrialLimit(env, user.id, now);
    if (excess) return excess;
    const begun = await startSignIn(env, createClaim(user.id, provider), now);
    return isRefusal(begun) ? begun : ok(toWireSignIn(begun));
  },
});

const complete = endpoint({
  method: "POST",
  path: `${path}/complete`,
  operation: "completeSignIn",
  audit: { isChange: isConnected },
  summary:
    "Finish a sign-in with the code of the browser, or ask whether the device code is approved. An account that is held already is connected again in its place.",
  tag,
  access: "subscription.change",
  noun: "none",
  body: { schema: finishBodySchema },
  answers: { status: 200, data: signInAnswerSchema },
  refusals: ["BAD_REQUEST", "PROVIDER_LOGIN_LIMIT", "SERVICE_UNAVAILABLE"],
  async handle({ env, now, caller: { user }, params, body }) {
    const provider = parseSignInProvider(params.provider);
    if (isRefusal(provider)) return provider;
    if (!user) return refuse("FORBIDDEN");
    const excess = await checkKeyTrialLimit(env, user.id, now);
    if (excess) return excess;
    const answer = await finishSignIn(env, createClaim(user.id, provider), body);
    return isRefusal(answer) ? answer : ok(answer);
  },
});

export const signInRoutes = [begin, complete];
