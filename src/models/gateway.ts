// The model gateway, which a sandbox's agent uses as its model provider. It checks that the turn is live and adds the credential, so no
// credential ever reaches a sandbox, and no call starts after its turn.
import { turnOwnerObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { workspaceLogin } from "../rules/model/login.ts";
import { isProviderId } from "../rules/model/provider.ts";
import { isTurnToken, readToken } from "../sandbox/token.ts";
import { readCredential } from "./logins.ts";
import { callWithCredential, failure } from "./provider-call.ts";
import { providers } from "./providers.ts";

/** Answers `/internal/models/<provider>/<path of the provider>`. */
export async function passModelCall(request: Request, env: Env, providerName: string, path: string): Promise<Response> {
  if (!isProviderId(providerName)) return failure(404, "There is no such model provider.");
  const provider = providers[providerName];
  if (path !== provider.callPath && path !== `${provider.callPath}/count_tokens`) {
    return failure(404, "The model gateway carries model calls only.");
  }
  const token = await readToken(env.SIGNING_KEY, request.headers, Date.now());
  if (!isTurnToken(token)) return failure(401, "This call carries no valid token.");
  const { workspaceId, owner, turnId, generation } = token;
  const name = workspaceLogin(workspaceId, providerName);
  const [isLive, credential] = await Promise.all([
    turnOwnerObject(env, owner).isTurnLive({ turnId, generation }),
    readCredential(env, name),
  ]);
  if (!isLive) return failure(403, "This turn is over.");
  return await callWithCredential(env, { name, path: path + new URL(request.url).search, request, credential });
}
