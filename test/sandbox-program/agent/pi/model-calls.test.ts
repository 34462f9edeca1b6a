// The list of what a turn's model call may hold is held to what the agent sends: an agent that
// sends more is refused by the gateway.
import { type Context, type Message, normalizeContext } from "@earendil-works/pi-ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGatewayProvider, toPiModel, toThinkingLevel } from "../../../../sandbox-program/agent/pi/model.ts";
import { type CatalogEntry, catalog, findCatalogEntry } from "../../../../src/model/catalog.ts";
import { providers } from "../../../../src/model/providers.ts";
import { toModelGrant, toTurnModel } from "../../../../src/model/turn-model.ts";
import { checkCallHead, createCallCheck } from "../../../../src/model-gateway/call-check.ts";
import type { TurnStart } from "../../../../src/sandbox-protocol/protocol.ts";
import { type RecordingGateway, startRecordingGateway } from "../../support/recording-gateway.ts";
import { profile, startWorld, type World } from "../../support/world.ts";

let world: World;
let gateway: RecordingGateway;
beforeAll(async () => {
  world = await startWorld();
  gateway = await startRecordingGateway(world.provider.url);
});
afterAll(async () => {
  await world?.end();
  await gateway?.stop();
});

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function createModel({ value }: CatalogEntry): TurnStart["model"] & { provider: CatalogEntry["provider"] } {
  const model = toTurnModel(value);
  if (!model) throw new Error(`the catalog has no ${value}`);
  return { ...model, baseUrl: `${gateway.url}/${model.provider}`, token: "sk-practice-model-calls" };
}

/**
 * What the gateway decides on a call of a turn on this entry: null if it is sent on, or the words
 * of the refusal.
 */
function decision(entry: CatalogEntry, url: string, headers: Headers, body: string): string | null {
  const { provider, ...model } = createModel(entry);
  const { wire, storesByDefault } = providers[provider];
  const terms = { grant: toModelGrant({ provider, ...model }), wire, storesByDefault };
  const check = createCallCheck(terms);
  const bytes = new TextEncoder().encode(body);
  return (checkCallHead(terms, { url, headers }) ?? check.read(bytes) ?? check.end())?.message ?? null;
}

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const tool = (name: string) => ({
  name,
  description: name,
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
});
const image = { type: "image" as const, data: png, mimeType: "image/png" };
const reasoning = JSON.stringify({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e", later: {} });

/** A conversation with everything that an agent may have to send back. */
function conversation({ provider, wire, id }: ReturnType<typeof createModel>): Context {
  const isMessages = wire === "anthropic-messages";
  const answered = { role: "assistant" as const, api: wire, provider, model: id, timestamp: 0 };
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "Look." }, image], timestamp: 0 },
    {
      ...answered,
      content: [
        { type: "thinking", thinking: "Hm.", thinkingSignature: isMessages ? "signature" : reasoning },
        ...(isMessages
          ? [
              { type: "thinking" as const, thinking: "", redacted: true, thinkingSignature: "data" },
              { type: "thinking" as const, thinking: "Not signed.", thinkingSignature: "" },
            ]
          : []),
        { type: "text", text: "I read it.", textSignature: JSON.stringify({ v: 1, id: "msg_1", phase: "commentary" }) },
        { type: "toolCall", id: isMessages ? "call_1" : "call_1|fc_1", name: "read", arguments: { path: "a" } },
      ],
      providerThinkingLevel: "high",
      usage: { ...usage, cost },
      stopReason: "toolUse",
    },
    {
      role: "toolResult",
      toolCallId: isMessages ? "call_1" : "call_1|fc_1",
      toolName: "read",
      content: [{ type: "text", text: "An image." }, image],
      isError: false,
      timestamp: 0,
    },
    { role: "system", content: "More.", toolsAdded: [tool("write")], toolsRemoved: [{ name: "read" }], timestamp: 0 },
    { role: "user", content: "Go on.", timestamp: 0 },
  ];
  return { systemPrompt: "Work.", tools: [tool("read")], messages };
}

test.each(catalog.map(({ value }) => value))("a call with everything is taken, on %s", async (value) => {
  const entry = findCatalogEntry(value) as CatalogEntry;
  const model = createModel(entry);
  const sent: (string | null)[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    sent.push(decision(entry, String(input), new Headers(init?.headers), String(init?.body)));
    return Response.json({ type: "error", error: { type: "invalid_request_error", message: "over" } }, { status: 400 });
  };
  const provider = createGatewayProvider(
    model.provider,
    () => model,
    () => null,
  );
  const effort = toThinkingLevel(model.effort);
  const stream = provider.streamSimple(toPiModel(model), normalizeContext(conversation(model)), {
    apiKey: model.token,
    sessionId: "session-1",
    ...(effort === "off" ? {} : { reasoning: effort }),
    fetch,
  });
  const { errorMessage } = await stream.result();
  expect(sent, errorMessage).toEqual([null]);
});

test.each(["kimi", "openai"] as const)(
  "a call of the built program has the chosen effort and whole tools, on %s",
  async (provider) => {
    const entry = catalog.find((one) => one.provider === provider && one.reasoning === "low") as CatalogEntry;
    const model = createModel(entry);
    gateway.requests.length = 0;
    const { service } = await world.runTurn([{ say: "Seen." }], { model });
    expect(await service.ended()).toEqual({ status: "completed" });
    const body = gateway.requests[0]?.body ?? "";
    expect(JSON.parse(body)[provider === "kimi" ? "output_config" : "reasoning"]).toMatchObject({ effort: "low" });
    // A limit that is only in the schema of the product's tool `plan`.
    expect(body).toContain('"maxItems":50');
  },
);

/** Of each model and speed, the entry of the highest effort. */
const highest = [...new Map(catalog.map((entry) => [`${entry.wireId} ${entry.speed}`, entry.value])).values()];

test.each(highest)("a session's calls are taken, compaction and a change of tools included, on %s", async (value) => {
  const entry = findCatalogEntry(value) as CatalogEntry;
  const { provider: _, ...model } = createModel(entry);
  const wanted = { ...model, provider: entry.provider };
  gateway.requests.length = 0;
  const steps = [{ bash: "echo one" }, { plan: [{ title: "a", status: "pending" }] }, { say: "Seen." }];
  const attachments = [world.api.attach("dot.png", "image/png", Buffer.from(png, "base64"))];
  const { start, service } = await world.runTurn(steps, { model: wanted, attachments });
  expect(await service.ended()).toEqual({ status: "completed" });
  const { conversationId, ...later } = { conversationId: start.conversation.id, model: wanted };
  const next = await world.runTurn([{ say: "Again." }], {
    ...later,
    conversation: { ...start.conversation, isNew: false },
    profile: profile({ tools: ["plan"] }),
  });
  expect(await next.service.ended()).toEqual({ status: "completed" });
  const compaction = {
    commandId: `command-${value}`,
    model: wanted,
    conversationId,
    profile: start.profile,
    focus: "",
  };
  expect(await world.program.call("POST", "/compactions", compaction)).toMatchObject({ status: 200 });
  expect(gateway.requests.length).toBeGreaterThanOrEqual(5);
  for (const { path, headers, body } of gateway.requests) {
    const sent = Object.entries(headers).map(([name, text]): [string, string] => [name, String(text)]);
    expect(decision(entry, `${gateway.url}${path}`, new Headers(sent), body)).toBeNull();
  }
});
