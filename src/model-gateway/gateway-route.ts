// The model gateway, which a sandbox's agent uses as its model provider. It checks that the turn is
// live and that its token grants the call. It adds the credential itself, so no credential ever
// reaches a sandbox, and no call starts after its turn.
import { waitUntil } from "cloudflare:workers";
import { getTurnOwnerObject } from "../../durable-objects/address.ts";
import type { CallCounter } from "../../durable-objects/chat/rpc.ts";
import type { Env } from "../env.ts";
import { toRefusalResponse } from "../http/response.ts";
import { withRetry } from "../http/retried-call.ts";
import { providers } from "../model/providers.ts";
import { isProviderId } from "../model/rules/provider.ts";
import type { PayerLogins } from "../provider-login/queries/logins.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { isTurnToken, readToken } from "../sandbox/token.ts";
import { withWork } from "../usage/rules/spend-limit.ts";
import { listPayerLogins } from "./payer.ts";
import { callAsPayer } from "./payer-call.ts";
import { sendGranted } from "./request-guard.ts";
import { mayKeepLogins } from "./rules/login-cache.ts";
import { gatewayHeader } from "./rules/service-absence.ts";
import { createFailure } from "./upstream.ts";
import { countAnswer } from "./usage-meter.ts";

/**
 * Handles `/internal/models/<provider>/<path of the provider>`. Every response has the gateway's
 * header. A response without it means that the service was unavailable; the program in the sandbox
 * then waits for the service.
 */
export async function forwardModelCall(
  request: Request,
  env: Env,
  providerName: string,
  path: string,
): Promise<Response> {
  const answer = await answerCall(request, env, providerName, path);
  if (isRefusal(answer)) return toRefusalResponse(answer);
  answer.headers.set(gatewayHeader, "1");
  return answer;
}

/**
 * Refuses a call while the object of the turn's owner is being updated. No provider was called
 * then.
 */
async function answerCall(request: Request, env: Env, providerName: string, path: string): Promise<Response | Refusal> {
  if (!isProviderId(providerName)) return createFailure("unknown_provider", "There is no such model provider.");
  const provider = providers[providerName];
  if (path !== provider.callPath && path !== `${provider.callPath}/count_tokens`) {
    return createFailure("unknown_path", "The model gateway carries model calls only.");
  }
  const token = await readToken(env, request.headers, Date.now());
  if (!isTurnToken(token) || !token.model || !token.payer)
    return createFailure("invalid_token", "This call carries no valid token.");
  const { workspaceId, owner, turnId, generation, model: grant, payer } = token;
  if (grant.provider !== providerName) {
    return createFailure(
      "model_not_granted",
      `This turn runs on ${providers[grant.provider].name}, and calls no other provider.`,
    );
  }
  const readLogins = () =>
    listPayerLogins(env, { workspaceId, payer, provider: providerName, workId: turnId, ownerId: owner.id });
  // A member's logins are never cached.
  const [opened, read] = await Promise.all([
    // This call stores nothing, so it is safe to repeat.
    withRetry(
      async () =>
        await getTurnOwnerObject(env, owner).startModelCall({ turnId, generation }, { payer, provider: providerName }),
    ),
    payer.type === "member" ? readLogins() : null,
  ]);
  if (isRefusal(opened)) return opened;
  if (opened.type === "refused") return createFailure(opened.code, opened.message);
  const {
    reportedNanoUsd,
    isTurnIndexed: _,
    ...held
  } = opened.logins ?? read ?? (await readAndKeep(opened, readLogins));
  const spend = withWork(held.spend, { countedNanoUsd: opened.countedNanoUsd, reportedNanoUsd });
  const search = new URL(request.url).search;
  const answer = await sendGranted(
    request,
    { grant, wire: provider.wire, storesByDefault: provider.storesByDefault },
    (watched) => callAsPayer(env, { ...held, spend, provider: providerName, path: path + search, request: watched }),
  ).catch((error: unknown) => {
    opened[Symbol.dispose]();
    throw error;
  });
  if (answer instanceof Response && path === provider.callPath) {
    return countAnswer(env, answer, { owner, workId: turnId, payer, provider, opened });
  }
  opened[Symbol.dispose]();
  return answer instanceof Response ? answer : createFailure(answer.code, answer.message);
}

/**
 * Reads and caches the logins of a call. They are read after the call was opened, so that a change
 * meanwhile prevents them from being cached.
 */
async function readAndKeep(
  opened: Disposable & { counter: Pick<Rpc.Stub<CallCounter>, "cacheLogins"> },
  readLogins: () => Promise<PayerLogins>,
): Promise<PayerLogins> {
  try {
    const logins = await readLogins();
    // The call does not wait for this. If it fails, the next call reads the logins.
    if (mayKeepLogins(logins)) waitUntil(opened.counter.cacheLogins(logins).catch(() => {}));
    return logins;
  } catch (error) {
    opened[Symbol.dispose]();
    throw error;
  }
}
