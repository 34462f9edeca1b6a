// A call to a model provider, authorized with a login's credential and streamed both ways. A stale access token is refreshed.
import { loginObject } from "../../durable-objects/address.ts";
import type { Refreshed } from "../../durable-objects/login/rpc.ts";
import { releaseBytes } from "../bytes/held-bytes.ts";
import type { Env } from "../env.ts";
import { readBytes } from "../http/body.ts";
import { type CallFailureCode, callFailures } from "../rules/model/call-failure.ts";
import type { LoginName } from "../rules/model/login.ts";
import type { ProviderId } from "../rules/model/provider.ts";
import { isRefusal, type Refusal } from "../rules/refusal.ts";
import { type Credential, isExpired, type Login } from "./logins.ts";
import { type Provider, providers } from "./providers.ts";

interface ProviderCall {
  name: LoginName;
  /** The path at the provider, with its query. */
  path: string;
  /** The method, the body and the headers; only some headers are forwarded. */
  request: Request;
}

/** Calls a provider with a credential that has been read. */
export async function callWithCredential(
  env: Env,
  { name, path, request, credential }: ProviderCall & { credential: Credential },
): Promise<Response> {
  const provider = providers[name.provider];
  const address = baseUrlOf(env, name.provider, provider) + path;
  switch (credential.kind) {
    case "key":
      return await send(request, address, keyHeader(provider, credential.apiKey), request.body);
    case "login":
      return await sendWithLogin(request, address, env, name, credential);
  }
}

/** The limit of the providers, and a quarter of a Worker's memory. */
const bufferedBodyBytes = 32 * 1_024 * 1_024;

/** A call with a stale token is sent a second time, so its body is buffered. */
async function sendWithLogin(request: Request, address: string, env: Env, name: LoginName, login: Login) {
  if (login.needsReauth) return refreshFailure("needs-reauth", name.provider);
  const body = await readBytes(request, bufferedBodyBytes);
  if (isRefusal(body)) return unreadFailure(body);
  try {
    return await sendBody(request, body, address, env, name, login);
  } finally {
    // Not every call comes through the router.
    releaseBytes(request);
  }
}

async function sendBody(
  request: Request,
  body: Uint8Array<ArrayBuffer>,
  address: string,
  env: Env,
  name: LoginName,
  login: Login,
): Promise<Response> {
  const sendWith = (accessToken: string) => send(request, address, bearer(accessToken), body);
  const isDue = isExpired(login, Date.now());
  if (!isDue) {
    const answer = await sendWith(login.accessToken);
    if (answer.status !== 401) return answer;
    await answer.body?.cancel();
  }
  const refreshed = await loginObject(env, name).refresh(name, login.sealed);
  if (refreshed.type === "refreshed") return await sendWith(refreshed.accessToken);
  const isGoodStill = isDue && login.expiresAt !== null && Date.now() < login.expiresAt;
  if (refreshed.type === "unavailable" && isGoodStill) return await sendWith(login.accessToken);
  return refreshFailure(refreshed.type, name.provider);
}

function unreadFailure({ code, message }: Refusal): Response {
  switch (code) {
    case "PAYLOAD_TOO_LARGE":
      return failure("call_too_large", "The conversation is too long to be sent: a model call may have 32 MB.");
    case "SERVICE_UNAVAILABLE":
      return failure("call_not_taken", message);
    default:
      return failure("call_unread", message);
  }
}

function refreshFailure(type: Exclude<Refreshed["type"], "refreshed">, id: ProviderId): Response {
  const { name } = providers[id];
  switch (type) {
    case "needs-reauth":
      return failure(
        "provider_unauthorized",
        `${name} takes the workspace's login no more. An owner or admin has to connect ${name} again.`,
      );
    case "no-client":
      return failure(
        "login_client_missing",
        `The login for ${name} cannot be refreshed: the setting MODEL_LOGIN_CLIENTS lacks "${id}".`,
      );
    case "client-refused":
      return failure(
        "login_client_refused",
        `The login for ${name} cannot be refreshed: ${name} refuses the client that the setting MODEL_LOGIN_CLIENTS names.`,
      );
    case "unavailable":
      return failure("login_unavailable", `The login for ${name} could not be refreshed just now.`);
  }
}

type CredentialHeader = [name: string, value: string];

const bearer = (token: string): CredentialHeader => ["authorization", `Bearer ${token}`];

function keyHeader({ keyHeader: name }: Provider, apiKey: string): CredentialHeader {
  return name === "authorization" ? bearer(apiKey) : [name, apiKey];
}

async function send(request: Request, address: string, credential: CredentialHeader, body: BodyInit | null) {
  const answer = await fetch(address, {
    method: request.method,
    headers: headersFor(request.headers, credential),
    body,
    // Following a redirect would send the credential to another host.
    redirect: "manual",
    // The agent aborts its calls when its turn is stopped, which has to stop the provider too.
    signal: request.signal,
  });
  return new Response(answer.body, { status: answer.status, headers: headersBack(answer.headers) });
}

function baseUrlOf(env: Env, id: ProviderId, { baseUrl }: Provider): string {
  const set = (JSON.parse(env.PROVIDER_URLS || "{}") as Partial<Record<ProviderId, string>>)[id];
  return set ?? baseUrl;
}

/** The request headers that are forwarded; the others are between the sandbox and Switchyard. */
const forwardedHeaders = [
  "accept",
  "content-type",
  "content-encoding",
  "user-agent",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
];

function headersFor(from: Headers, [credentialName, credential]: CredentialHeader): Headers {
  const headers = new Headers();
  for (const name of forwardedHeaders) {
    const value = from.get(name);
    if (value !== null) headers.set(name, value);
  }
  headers.set(credentialName, credential);
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

/** Answers a failure of the service in a form that the clients of all providers read. */
export function failure(code: CallFailureCode, message: string): Response {
  const [status, type] = callFailures[code];
  return Response.json({ type: "error", error: { type, code, message } }, { status });
}
