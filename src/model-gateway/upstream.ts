// A call to a model provider, authorized with a login's credential and streamed in both directions.
// A stale access token is refreshed.
import { getProviderLoginObject } from "../../durable-objects/address.ts";
import type { Refreshed } from "../../durable-objects/provider-login/rpc.ts";
import type { Env } from "../env.ts";
import { releaseBytes } from "../lib/byte-budget.ts";
import { readBytes } from "../lib/request-bytes.ts";
import { readErrorText } from "../lib/response-body.ts";
import { type Provider, providers } from "../model/providers.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import { findLoginClient } from "../provider-login/connect/oauth-client.ts";
import { type Credential, isExpired } from "../provider-login/credentials.ts";
import type { LoginName } from "../provider-login/rules/login.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { type CallFailureCode, callFailures } from "./rules/failure.ts";
import { getCallVerdict } from "./rules/provider-response.ts";

export interface ProviderCall {
  name: LoginName;
  credential: Credential;
  /** The path at the provider, with its query. */
  path: string;
  /** The method, the body and the headers; only some headers are forwarded. */
  request: Request;
}

/** The limit of the providers, and a quarter of a Worker's memory. */
const bufferedBodyBytes = 32 * 1_024 * 1_024;

/**
 * Calls a provider with a credential. The body of a call with a key is streamed, unless it may
 * contain content that belongs to an account.
 */
export async function callWithCredential(env: Env, call: ProviderCall): Promise<Response> {
  const { request, name, credential } = call;
  if (credential.kind === "key" && !bringsReasoning(name.provider)) {
    return await callWithKey(env, call, credential.apiKey, request.body);
  }
  if (credential.kind === "login" && credential.needsReauth) return toRefreshFailure("needs-reauth", name.provider);
  return await withBody(request, async (body) => {
    const answer = await callWithBody(env, call, body);
    if (answer.type !== "answered") return toRefreshFailure(answer.type, name.provider);
    const { response } = answer;
    if (response.status !== 400) return response;
    const { status, headers } = response;
    const text = await readErrorText(response);
    if (!isForeignReasoning(text)) return new Response(text, { status, headers });
    const again = await callWithBody(env, call, deleteReasoning(body));
    return again.type === "answered" ? again.response : toRefreshFailure(again.type, name.provider);
  });
}

/**
 * True if calls contain reasoning from earlier calls that is encrypted for the account of those
 * calls, such as another member's who paid before.
 */
const bringsReasoning = (provider: ProviderId) => providers[provider].wire === "openai-responses";

/** True for the text of a 400 response that rejects such reasoning. */
function isForeignReasoning(text: string): boolean {
  return getCallVerdict({ status: 400, header: () => null, text }, Date.now()).next === "without-reasoning";
}

/** Runs calls that may send a body more than once, for which it is buffered. */
export async function withBody(
  request: Request,
  call: (body: Uint8Array<ArrayBuffer>) => Promise<Response>,
): Promise<Response> {
  const body = await readBytes(request, bufferedBodyBytes);
  if (isRefusal(body)) return unreadFailure(body);
  try {
    return await call(body);
  } finally {
    // Not every call comes through the router, which would release the memory.
    releaseBytes(request);
  }
}

/** The reason why the stale tokens of a login could not be refreshed. */
export type RefreshFailure = Exclude<Refreshed, { type: "refreshed" }>;

export interface Answered {
  type: "answered";
  response: Response;
  /**
   * The sealed text of the tokens that were renewed for the call; null if they were not renewed.
   */
  renewed: string | null;
}

/**
 * Calls a provider with a credential and a body that can be sent again, which is needed if an
 * access token is stale.
 */
export async function callWithBody(
  env: Env,
  call: ProviderCall,
  body: Uint8Array<ArrayBuffer>,
): Promise<Answered | RefreshFailure> {
  const { name, request, credential, path } = call;
  const answered = (response: Response, renewed: string | null = null): Answered => ({
    type: "answered",
    response,
    renewed,
  });
  if (credential.kind === "key") return answered(await callWithKey(env, call, credential.apiKey, body));
  const client = findLoginClient(env, name.provider);
  const address = client?.baseUrl === undefined ? getAddress(env, call) : client.baseUrl + path;
  const destination = { provider: name.provider, address };
  const sendWith = (accessToken: string) => send(request, destination, bearer(accessToken), body, client?.headers);
  const isDue = isExpired(credential, Date.now());
  if (!isDue) {
    const answer = await sendWith(credential.accessToken);
    if (answer.status !== 401) return answered(answer);
    await answer.body?.cancel();
  }
  const refreshed = await getProviderLoginObject(env, name).refresh(name, credential.sealed);
  if (refreshed.type === "refreshed") return answered(await sendWith(refreshed.accessToken), refreshed.sealed);
  const isGoodStill = isDue && credential.expiresAt !== null && Date.now() < credential.expiresAt;
  if (refreshed.type === "unavailable" && isGoodStill) return answered(await sendWith(credential.accessToken));
  return refreshed;
}

/** Calls a provider with a key. */
export function callWithKey(
  env: Env,
  call: Pick<ProviderCall, "name" | "path" | "request">,
  apiKey: string,
  body: BodyInit | null,
): Promise<Response> {
  const { provider } = call.name;
  return send(call.request, { provider, address: getAddress(env, call) }, keyHeader(providers[provider], apiKey), body);
}

function getAddress(env: Env, { name: { provider }, path }: Pick<ProviderCall, "name" | "path">): string {
  return getBaseUrl(env, provider) + path;
}

function unreadFailure({ code, message }: Refusal): Response {
  switch (code) {
    case "PAYLOAD_TOO_LARGE":
      return createFailure("call_too_large", "The conversation is too long to be sent: a model call may have 32 MB.");
    case "SERVICE_UNAVAILABLE":
      return createFailure("call_not_taken", message);
    default:
      return createFailure("call_unread", message);
  }
}

/** The failure of a call whose login could not be refreshed. */
export function toRefreshFailure(type: RefreshFailure["type"], id: ProviderId): Response {
  const { name } = providers[id];
  switch (type) {
    case "needs-reauth":
      return createFailure(
        "provider_unauthorized",
        `${name} no longer accepts the workspace's login. An owner or admin has to connect ${name} again.`,
      );
    case "no-client":
      return createFailure(
        "login_client_missing",
        `The login for ${name} cannot be refreshed: the setting MODEL_LOGIN_CLIENTS lacks "${id}".`,
      );
    case "client-refused":
      return createFailure(
        "login_client_refused",
        `The login for ${name} cannot be refreshed: ${name} refuses the client that the setting MODEL_LOGIN_CLIENTS names.`,
      );
    case "unavailable":
      return createFailure("login_unavailable", `The login for ${name} could not be refreshed just now.`);
  }
}

/** The failure of a call to which its provider did not respond. */
function toNoAnswerFailure(id: ProviderId, why: NoAnswer): Response {
  const { name } = providers[id];
  if (why === "unreachable") {
    return createFailure(
      "provider_unreachable",
      `${name} cannot be reached just now. Send the message again in a moment.`,
    );
  }
  const minutes = answerWaitMs / 60_000;
  return createFailure(
    "provider_silent",
    `${name} did not answer within ${minutes} minutes. Send the message again in a moment, or choose another model.`,
  );
}

type CredentialHeader = [name: string, value: string];

const bearer = (token: string): CredentialHeader => ["authorization", `Bearer ${token}`];

function keyHeader({ keyHeader: name }: Provider, apiKey: string): CredentialHeader {
  return name === "authorization" ? bearer(apiKey) : [name, apiKey];
}

interface Destination {
  provider: ProviderId;
  address: string;
}

async function send(
  request: Request,
  { provider, address }: Destination,
  credential: CredentialHeader,
  body: BodyInit | null,
  more: Record<string, string> = {},
) {
  // When a turn is stopped, the agent aborts its calls. The call to the provider must stop then
  // too.
  const answer = await receiveResponse(request.signal, (signal) =>
    fetch(address, {
      method: request.method,
      headers: createRequestHeaders(request.headers, credential, more),
      body,
      // Following a redirect would send the credential to another host.
      redirect: "manual",
      signal,
    }),
  );
  if (typeof answer === "string") return toNoAnswerFailure(provider, answer);
  return new Response(answer.body, { status: answer.status, headers: copyHeaders(answer.headers, returnedHeaders) });
}

/** The address of a provider's model calls. */
export function getBaseUrl(env: Env, id: ProviderId): string {
  const set = (JSON.parse(env.PROVIDER_URLS || "{}") as Partial<Record<ProviderId, string>>)[id];
  return set ?? providers[id].baseUrl;
}

/** The request headers that are forwarded. The others concern only the sandbox and Switchyard. */
const forwardedHeaders = ["accept", "user-agent", "anthropic-version", "anthropic-beta"];
/** The response headers that are forwarded. */
const returnedHeaders = [
  "content-type",
  "retry-after",
  "anthropic-ratelimit-unified-reset",
  "request-id",
  "x-request-id",
];

function createRequestHeaders(
  from: Headers,
  [credentialName, credential]: CredentialHeader,
  more: Record<string, string>,
): Headers {
  const headers = copyHeaders(from, forwardedHeaders);
  // The call was read as JSON. A provider that parsed it as another type could find other fields in
  // it.
  headers.set("content-type", "application/json");
  // A header that the agent also sends is a list, such as the beta features.
  for (const [name, value] of Object.entries(more)) headers.append(name, value);
  headers.set(credentialName, credential);
  return headers;
}

function copyHeaders(from: Headers, names: readonly string[]): Headers {
  const headers = new Headers();
  for (const name of names) {
    const value = from.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}

/** Returns a failure of the service in a form that the clients of all providers understand. */
export function createFailure(code: CallFailureCode, message: string): Response {
  const [status, type] = callFailures[code];
  return Response.json({ type: "error", error: { type, code, message } }, { status });
}

/**
 * A call is abandoned if the provider has sent no status after this time. The rest of the response
 * has no time limit. The agent abandons a call by itself after 5 minutes, and would then not
 * receive the reason.
 */
const answerWaitMs = 4 * 60_000;

/**
 * Why a call has no response: the provider could not be reached, or (`silent`) it accepted the call
 * and sent no status in time.
 */
export type NoAnswer = "unreachable" | "silent";

/**
 * Calls a provider, and returns the reason if there is no response. Throws if the caller itself
 * aborted.
 */
export async function receiveResponse(
  caller: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Response>,
  waitMs = answerWaitMs,
): Promise<Response | NoAnswer> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), waitMs);
  try {
    return await ask(AbortSignal.any([caller, silence.signal]));
  } catch (error) {
    if (caller.aborted) throw error;
    return silence.signal.aborted ? "silent" : "unreachable";
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The call without its reasoning items, which are encrypted for the account that made them, and
 * without the ids of the items that depend on them.
 */
export function deleteReasoning(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const call = JSON.parse(new TextDecoder().decode(body)) as { input?: unknown };
  const encoded = (value: object) => new Uint8Array(new TextEncoder().encode(JSON.stringify(value)));
  if (!Array.isArray(call.input)) return encoded(call);
  const input = call.input.filter((item) => item?.type !== "reasoning").map(({ id: _, ...item }) => item);
  return encoded({ ...call, input });
}
