// The practice provider: a server that stands in for all model providers, each under its own path.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenNear, outlastCallers } from "../listening.ts";
import { forLoopback } from "../loopback-host.ts";
import { anthropicMessages } from "./anthropic/wire.ts";
import { isObject, type JsonObject } from "./json.ts";
import { type KeyVerdict, keyVerdict } from "./key.ts";
import { answerTo } from "./model.ts";
import { openLogins, type PracticeLogins } from "./oauth.ts";
import { openaiResponses } from "./openai/wire.ts";
import { reply, sendFailure, sendJson } from "./reply.ts";
import { requestTokens } from "./request-size.ts";
import { usageAnswer } from "./usage.ts";
import type { Receipt, Wire } from "./wire.ts";

export interface PracticeProvider {
  url: string;
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

/** Starts the practice provider. A free port is used for 0, the default, and if the port is taken. */
export async function startPracticeProvider({
  port = 0,
  host = "127.0.0.1",
}: {
  port?: number;
  host?: string;
} = {}): Promise<PracticeProvider> {
  const logins = openLogins();
  const server = createServer(
    forLoopback((request, response) => {
      handle(request, response, logins).catch((error: unknown) => {
        // A client that disconnects during its request is not an error.
        if (request.complete) console.error("practice provider:", error);
        response.destroy();
      });
    }),
  );
  outlastCallers(server);
  const url = `http://${host}:${await listenNear(server, port, host)}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, logins: PracticeLogins): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  if (/^\/\w+\/oauth\//.test(path)) {
    return logins.answer(request, path, (await read(request)).toString("utf8"), response);
  }
  const state = keyVerdict(request.headers);
  const usage = request.method === "GET" ? usageAnswer(path, state === "basic" ? "good" : state, Date.now()) : null;
  if (usage) return sendJson(response, usage.status, usage.body);
  const route = request.method === "POST" ? routes.get(path) : undefined;
  if (route === undefined) {
    const wire = path.startsWith("/openai/") ? openaiResponses : anthropicMessages;
    return sendFailure(response, wire.failure({ kind: "not_found", path }));
  }
  const { wire, does } = route;
  const bytes = await read(request);
  const key = keyVerdict(request.headers);
  if (key === "unknown") return sendFailure(response, wire.failure({ kind: "unauthorized" }));
  const body = jsonObject(bytes);
  if (body === null)
    return sendFailure(response, wire.failure({ kind: "bad_request", message: "The body is not a JSON object." }));
  const modelRequest = wire.readRequest(body);
  if ("kind" in modelRequest) return sendFailure(response, wire.failure(modelRequest));
  if (does === "count") return sendJson(response, 200, { input_tokens: requestTokens(body, bytes.length) });
  if (key !== "good") return sendFailure(response, wire.failure(refusalOf(key, modelRequest.model)));
  await reply(response, wire, modelRequest, receiptOf(body, bytes), answerTo(modelRequest.conversation));
}

function refusalOf(key: Exclude<KeyVerdict, "good" | "unknown">, model: string) {
  switch (key) {
    case "basic":
      return { kind: "model_not_included", model } as const;
    case "at_limit":
      return { kind: "limit_reached" } as const;
  }
}

function receiptOf(body: JsonObject, bytes: Buffer): Receipt {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 24);
  return { digest, inputTokens: requestTokens(body, bytes.length) };
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
