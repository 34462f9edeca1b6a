// The model gateway: where a sandbox's agent believes its provider to be. It checks that the turn is live, puts the workspace's key in the
// place of the pass, and streams both ways. No key ever reaches a sandbox, and no call outlives its turn.
import { sessionObject } from "../../durable-objects/address.ts";
import type { Env } from "../env.ts";
import { isProviderId, type ProviderId } from "../rules/provider.ts";
import { isTurnPass, readPass } from "../sandbox/pass.ts";
import { workspaceApiKey } from "./credentials.ts";
import { type Provider, providers } from "./providers.ts";

/** Answers `/internal/models/<provider>/<path of the provider>`. */
export async function passModelCall(request: Request, env: Env, providerName: string, path: string): Promise<Response> {
  if (!isProviderId(providerName)) return failure(404, "There is no such model provider.");
  const provider = providers[providerName];
  if (path !== provider.callPath && path !== `${provider.callPath}/count_tokens`) {
    return failure(404, "The model gateway carries model calls only.");
  }
  const pass = await readPass(env.SIGNING_KEY, request.headers, Date.now());
  if (!isTurnPass(pass)) return failure(401, "This call carries no valid pass.");
  const { workspaceId, sessionId, turnId, generation } = pass;
  const [isLive, apiKey] = await Promise.all([
    sessionObject(env, sessionId).isTurnLive({ turnId, generation }),
    workspaceApiKey(env, workspaceId, providerName),
  ]);
  if (!isLive) return failure(403, "This turn is over.");
  if (apiKey === null) {
    return failure(
      401,
      `The workspace has no ${provider.name} API key. An owner or admin can add one under its credentials.`,
    );
  }
  const address = baseUrlOf(env, providerName, provider) + path + new URL(request.url).search;
  const answer = await fetch(address, {
    method: request.method,
    headers: headersFor(request.headers, provider, apiKey),
    body: request.body,
    // A redirect would carry the key to wherever it points.
    redirect: "manual",
    // The agent hung up, as it does when its turn is stopped: the provider stops too.
    signal: request.signal,
  });
  return new Response(answer.body, { status: answer.status, headers: headersBack(answer.headers) });
}

function baseUrlOf(env: Env, id: ProviderId, { baseUrl }: Provider): string {
  const set = (JSON.parse(env.PROVIDER_URLS || "{}") as Partial<Record<ProviderId, string>>)[id];
  return set ?? baseUrl;
}

/** What of a request a provider gets to see; the rest is between the sandbox and Switchyard. */
const forwarded = [
  "accept",
  "content-type",
  "content-encoding",
  "user-agent",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
];

function headersFor(from: Headers, { keyHeader }: Provider, apiKey: string): Headers {
  const headers = new Headers();
  for (const name of forwarded) {
    const value = from.get(name);
    if (value !== null) headers.set(name, value);
  }
  headers.set(keyHeader, keyHeader === "authorization" ? `Bearer ${apiKey}` : apiKey);
  return headers;
}

function headersBack(from: Headers): Headers {
  const headers = new Headers();
  for (const name of ["content-type", "retry-after", "request-id", "x-request-id"]) {
    const value = from.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

/** An error in a form that clients of every provider read. */
function failure(status: 401 | 403 | 404, message: string): Response {
  const type = status === 401 ? "authentication_error" : status === 403 ? "permission_error" : "not_found_error";
  return Response.json({ type: "error", error: { type, message } }, { status });
}
