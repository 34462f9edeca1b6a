// The practice provider: a server that stands in for all model providers, each under its own path.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { outlastCallers, startListening } from "../listening.ts";
import { withLoopbackGuard } from "../loopback-host.ts";
import { createPathKey, readPrivatePath } from "../private-path.ts";
import { anthropicMessages } from "./anthropic/wire.ts";
import { type CallLog, createCallLog } from "./calls.ts";
import type { Failure } from "./failure.ts";
import { isObject, type JsonObject, toText } from "./json.ts";
import { findTrouble, isUnknown, keyHint, type PracticeCredential, readCredential, type Trouble } from "./key.ts";
import { getAnswer } from "./model.ts";
import { findForeignReasoning } from "./openai/message.ts";
import { openaiResponses } from "./openai/wire.ts";
import { sendFailure, sendJson, sendReply, sendStreamFailure } from "./reply.ts";
import { countRequestTokens } from "./request-size.ts";
import { createSignIns, type SignIns } from "./sign-in/sign-ins.ts";
import { createSignInStore } from "./sign-in/state.ts";
import { createTokens, type Tokens } from "./sign-in/tokens.ts";
import { findUsageResponse } from "./usage.ts";
import type { ModelRequest, Receipt, Wire } from "./wire.ts";

export interface PracticeProvider {
  url: string;
  /** The address that also lists its calls. */
  privateUrl: string;
  close(): Promise<void>;
}

interface Route {
  wire: Wire;
  does: "answer" | "count";
}

const messageRoutes = (prefix: string): [string, Route][] => [
  [`${prefix}/v1/messages`, { wire: anthropicMessages, does: "answer" }],
  [`${prefix}/v1/messages/count_tokens`, { wire: anthropicMessages, does: "count" }],
];

const routes = new Map<string, Route>([
  ...messageRoutes("/anthropic"),
  ...messageRoutes("/zai"),
  ...messageRoutes("/kimi"),
  ["/openai/v1/responses", { wire: openaiResponses, does: "answer" }],
]);

/**
 * Starts the practice provider. A free port is used for 0, the default, and if the port is taken.
 */
export async function startPracticeProvider({
  port = 0,
  host = "127.0.0.1",
  file = null,
  pathKey = createPathKey("practice provider"),
}: {
  port?: number;
  host?: string;
  /** The file of its sign-ins; null to drop them when it ends. */
  file?: string | null;
  /** The key of its private address. */
  pathKey?: string;
} = {}): Promise<PracticeProvider> {
  const store = createSignInStore(file);
  const tokens = createTokens(store);
  const open = {
    tokens,
    signIns: createSignIns(store, tokens),
    calls: createCallLog(),
    limited: new Set<string>(),
    pathKey,
  };
  const server = createServer(
    withLoopbackGuard((request, response) => {
      handle(request, response, open).catch((error: unknown) => {
        // A client that disconnects during its request is not an error.
        if (request.complete) console.error("practice provider:", error);
        response.destroy();
      });
    }),
  );
  outlastCallers(server);
  const url = `http://${host}:${await startListening(server, port, host)}`;
  return {
    url,
    privateUrl: `${url}/${pathKey}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Open {
  signIns: SignIns;
  tokens: Tokens;
  calls: CallLog;
  /** The accounts that were notified of their limit. */
  limited: Set<string>;
  pathKey: string;
}

async function handle(request: IncomingMessage, response: ServerResponse, open: Open): Promise<void> {
  const asked = readPrivatePath(request.url ?? "/", open.pathKey);
  const url = new URL(asked.path, `http://${request.headers.host}`);
  const path = url.pathname;
  if (/^\/\w+\/oauth\//.test(path)) {
    const { method, headers } = request;
    const body = (await read(request)).toString("utf8");
    const answer = open.signIns.answer({ method, url, authorization: headers.authorization, body });
    response.writeHead(answer.status, answer.headers).end(answer.text);
    return;
  }
  if (asked.isPrivate && path === "/practice/calls") return sendJson(response, 200, { calls: open.calls.all() });
  const credential = readCredential(request.headers, open.tokens);
  const usage =
    request.method === "GET" ? findUsageResponse(path, usageState(credential, open.limited), Date.now()) : null;
  if (usage) return sendJson(response, usage.status, usage.body);
  const route = request.method === "POST" ? routes.get(path) : undefined;
  if (route === undefined) {
    const wire = path.startsWith("/openai/") ? openaiResponses : anthropicMessages;
    return sendFailure(response, wire.failure({ kind: "not_found", path }));
  }
  const { wire, does } = route;
  const provider = path.split("/")[1] ?? "";
  const bytes = await read(request);
  const body = jsonObject(bytes);
  const model = body === null ? null : toText(body.model);
  const note = (answer: string) => {
    const { secret, address: account } = credential;
    if (answer === "limit_reached") open.limited.add(credential.account);
    if (does === "answer") open.calls.note({ provider, credential: secret.slice(-4), account, model, answer });
  };
  const fail = (failure: Failure) => {
    note(failure.kind);
    sendFailure(response, wire.failure(failure));
  };
  if (credential.name === null) return fail({ kind: "unknown_key", hint: keyHint });
  if (isUnknown(credential)) return fail({ kind: "unknown_key" });
  if (body === null) return fail({ kind: "bad_request", message: "The body is not a JSON object." });
  const modelRequest = wire.readRequest(body);
  if ("kind" in modelRequest) return fail(modelRequest);
  if (does === "count") return sendJson(response, 200, { input_tokens: countRequestTokens(body, bytes.length) });
  const receipt = createReceipt(body, bytes, credential.account);
  const trouble = troubleAt(credential, provider, modelRequest);
  if (trouble?.when === "revoked") open.tokens.revoke(credential.secret);
  if (trouble?.when === "midway" && modelRequest.streams) {
    note(trouble.failure.kind);
    const halfAnAnswer = { before: [{ kind: "say", text: "I begin, and" } as const], call: null };
    return await sendReply(response, wire, modelRequest, receipt, { ...halfAnAnswer, failure: trouble.failure });
  }
  if (trouble?.when === "as-stream" && modelRequest.streams) {
    note(trouble.failure.kind);
    return sendStreamFailure(response, wire.message(modelRequest, receipt), trouble.failure);
  }
  if (trouble) return fail(trouble.failure);
  const foreign = findForeignReasoning(modelRequest, credential.account);
  if (foreign) return fail({ kind: "foreign_reasoning", id: foreign.id });
  const answer = getAnswer(modelRequest.conversation);
  note(answer.failure?.kind ?? "answered");
  await sendReply(response, wire, modelRequest, receipt, answer);
}

function usageState(credential: PracticeCredential, limited: Set<string>): "good" | "at_limit" | "unknown" {
  const trouble = findTrouble(credential.name, { provider: "", model: "", answers: 0, isTrial: false });
  if (trouble?.failure.kind === "limit_reached" || limited.has(credential.account)) return "at_limit";
  return isUnknown(credential) || trouble?.failure.kind === "unknown_key" ? "unknown" : "good";
}

/** A call with at most this many tokens only tests a key. */
const trialTokens = 16;

function troubleAt({ name }: PracticeCredential, provider: string, request: ModelRequest): Trouble | null {
  const { model, conversation, outputTokensMax } = request;
  const answers = conversation.entries.filter(({ from }) => from === "model").length;
  const isTrial = outputTokensMax !== null && outputTokensMax <= trialTokens;
  return findTrouble(name, { provider, model, answers, isTrial });
}

function createReceipt(body: JsonObject, bytes: Buffer, account: string): Receipt {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
  return { digest, inputTokens: countRequestTokens(body, bytes.length), account };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function jsonObject(bytes: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
