// The Model Context Protocol, by which agents outside of the service work with sessions. Each
// request is answered by itself: no object and no session of the protocol.
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Caller } from "../access/rules/caller.ts";
import type { Env } from "../env.ts";
import { createAgentRequest } from "../http/agent-request.ts";
import { authenticate } from "../http/authenticate.ts";
import { readText } from "../http/body.ts";
import { callEndpoint, type Endpoint } from "../http/endpoint.ts";
import { toRefusalResponse, toResponse } from "../http/response.ts";
import { log } from "../lib/log.ts";
import { recordScopeNeed } from "../oauth/queries.ts";
import { formatMcpChallenge } from "../oauth/wire.ts";
import { isLoopback, isOneMachine } from "../one-machine.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import type { Api, Asked, Operation } from "./api.ts";
import { readClientName } from "./rules/client.ts";
import { createServer, tools } from "./server.ts";

const bodyBytes = 2 ** 20;

const foreign = refuse("FORBIDDEN", "The request comes from another site. MCP is for programs.");
const foreignHost = refuse("FORBIDDEN", "On one machine, MCP is only reached at the address of this machine.");
const unnamed = refuse(
  "UNAUTHORIZED",
  "The request has no credential. Let the client ask the person, or send an API key: `Authorization: Bearer svc_key_…`.",
);

/** Answers a request of the protocol. Its tools call `endpoints`. */
export async function handleMcpRequest(request: Request, env: Env, endpoints: readonly Endpoint[]): Promise<Response> {
  const caller = await findAgent(request, env);
  if (isRefusal(caller)) return toMcpRefusal(caller, request, env);
  const read = await readForScope(request, env, caller);
  if (read instanceof Response) return read;
  const credential = request.headers.get("authorization") ?? "";
  const handler = createMcpHandler(
    () => createServer((client) => createApi(env, endpoints, { request, client }), credential),
    {
      maxRequestBodySize: bodyBytes,
      onerror: (error) => log.info("mcp.request_refused", { error }),
    },
  );
  return await handler.fetch(read);
}

/** Refuses with where a client finds how to get a token. */
function toMcpRefusal(refusal: Refusal, { headers }: Request, env: Env): Response {
  const response = toRefusalResponse(refusal);
  if (refusal.code !== "UNAUTHORIZED") return response;
  const error = headers.has("authorization") ? "invalid_token" : null;
  response.headers.set("www-authenticate", formatMcpChallenge(env.PUBLIC_URL, { error, needed: ["read"] }));
  return response;
}

/**
 * The request, unless it calls a tool that the scopes of the agent do not allow. Only a refusal of
 * the whole request leads a client to ask the person for more.
 */
async function readForScope(request: Request, env: Env, { facts, keyId }: Caller): Promise<Request | Response> {
  if (facts.kind !== "client" || facts.scopes.includes("work") || request.method !== "POST") return request;
  const text = await readText(request, bodyBytes);
  if (isRefusal(text)) return toRefusalResponse(text);
  if (isWork(text)) {
    await recordScopeNeed(env.DB, keyId, Date.now());
    const response = toRefusalResponse(refuse("FORBIDDEN", "This tool needs the scope `work`."));
    const needed = ["read", "work"] as const;
    const challenge = formatMcpChallenge(env.PUBLIC_URL, { error: "insufficient_scope", needed });
    response.headers.set("www-authenticate", challenge);
    return response;
  }
  return new Request(request.url, { method: "POST", headers: request.headers, body: text, signal: request.signal });
}

/** True if a message calls a tool that does more than reading. */
function isWork(text: string): boolean {
  const works = tools.filter(({ effect }) => effect !== "read").map(({ name }) => name);
  try {
    const messages: ({ method?: unknown; params?: { name?: unknown } } | null)[] = [JSON.parse(text)].flat();
    return messages.some((one) => one?.method === "tools/call" && works.includes(String(one.params?.name)));
  } catch {
    // The protocol refuses what is not JSON.
    return false;
  }
}

async function findAgent(request: Request, env: Env): Promise<Caller | Refusal> {
  const { headers, url } = request;
  const origin = headers.get("origin");
  if (origin !== null && origin !== new URL(env.PUBLIC_URL).origin) return foreign;
  // A page of another name could otherwise lead a browser here.
  if (isOneMachine(env) && !isLoopback(url)) return foreignHost;
  const authorization = headers.get("authorization");
  // A cookie is sent by a browser, whatever page made it do so.
  if (authorization === null) return unnamed;
  const asking = createAgentRequest(new URL(env.PUBLIC_URL), { headers: new Headers(headers) }, null);
  const known = await authenticate(env, asking, { action: "models.read", noun: "none", params: {} }, Date.now());
  return isRefusal(known) ? known : known.caller;
}

/** What a call takes over from the request of the agent: its credential and its address. */
const takenOver = ["authorization", "cf-connecting-ip", "x-forwarded-for", "x-client-version"];

/**
 * Creates the calls that one request of an agent makes. Each goes through the declaration of its
 * endpoint, so rights, validation and limits are those of the API.
 */
function createApi(env: Env, endpoints: readonly Endpoint[], agent: { request: Request; client: string | null }): Api {
  const client = readClientName(agent.client, agent.request.headers.get("x-client-version"));
  const headers = [...agent.request.headers].filter(([name]) => takenOver.includes(name));

  async function send(operation: Operation, { params = {}, query = {}, body, key, signal }: Asked) {
    const endpoint = endpoints.find((one) => one.operation === operation);
    if (!endpoint) throw new Error(`There is no operation ${operation}.`);
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ""));
    const url = new URL(path, env.PUBLIC_URL);
    for (const [name, value = []] of Object.entries(query))
      for (const one of [value].flat()) url.searchParams.append(name, one);
    const init = {
      method: endpoint.method,
      headers: [
        ...headers,
        ...(body ? [["content-type", "application/json"]] : []),
        ...(key ? [["idempotency-key", key]] : []),
      ] as [string, string][],
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    const request = createAgentRequest(url, init, client);
    return await callEndpoint(endpoint, request, env, params);
  }

  return {
    async call<Data>(operation: Operation, asked: Asked = {}) {
      const answer = await send(operation, asked);
      if (isRefusal(answer)) return answer;
      const response = toResponse(answer);
      return response.status === 204 ? (null as Data) : (await response.json<{ data: Data }>()).data;
    },
    async follow(operation, asked) {
      const answer = await send(operation, asked);
      if (isRefusal(answer)) return answer;
      const { body } = toResponse(answer);
      if (!body) throw new Error(`${operation} has no stream.`);
      return body;
    },
  };
}
