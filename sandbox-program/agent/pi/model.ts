// The model of a turn in pi's terms. It is reached only through the model gateway. Its abilities
// come from pi's catalog.
import {
  type Api,
  createProvider,
  type Model,
  type ModelThinkingLevel,
  PI_AI_VERSION,
  type Provider,
  type ProviderStreams,
  type SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import * as anthropicMessages from "@earendil-works/pi-ai/api/anthropic-messages";
import * as openaiResponses from "@earendil-works/pi-ai/api/openai-responses";
import { getBuiltinModels } from "@earendil-works/pi-ai/providers/all";
import type { ModelWire, TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { uncompressed } from "../../http/service-fetch.ts";
import { withCallRetries } from "./outlast.ts";

type TurnModel = TurnStart["model"];

/** pi requires prices, but the product shows none. */
const uncounted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * A provider that sends every request to the model gateway, with the token and the speed of the
 * current turn. It waits while the gateway is unreachable, and for the end of a short limit.
 */
export function createGatewayProvider(
  id: string,
  running: () => Pick<TurnModel, "token" | "speed"> | null,
  findParameters: FindParameters,
): Provider {
  const speed = () => running()?.speed ?? null;
  const change: ChangePayload = (payload, api) => withWholeTools(withSpeed(payload, api, speed()), api, findParameters);
  return createProvider({
    id,
    auth: {
      apiKey: {
        name: "Turn token",
        resolve: async () => {
          const model = running();
          return model === null ? undefined : { auth: { apiKey: model.token } };
        },
      },
    },
    models: [],
    api: {
      "anthropic-messages": withPayload(withCallRetries(anthropicMessages), change),
      "openai-responses": withPayload(withCallRetries(openaiResponses), change),
    },
  });
}

/** pi takes its version from a file that the built program does not have. */
const userAgent = `pi/${PI_AI_VERSION}`;

/** The model in pi's terms. */
export function toPiModel(model: TurnModel): Model<Api> {
  const known = knownModel(model);
  return {
    id: model.id,
    name: known?.name ?? model.id,
    api: model.wire,
    provider: model.provider,
    baseUrl: clientBaseUrl(model),
    headers: { ...uncompressed, "User-Agent": userAgent },
    reasoning: known?.reasoning ?? true,
    ...(known?.thinkingLevelMap ? { thinkingLevelMap: known.thinkingLevelMap } : {}),
    ...(known?.compat ? { compat: gatewayCompat(model.wire, known.compat) } : {}),
    ...(known?.inputLimits ? { inputLimits: known.inputLimits } : {}),
    input: model.acceptsImages ? ["text", "image"] : ["text"],
    cost: uncounted,
    contextWindow: model.contextWindow,
    maxTokens: model.maxOutputTokens,
  };
}

/**
 * One client appends `/v1/messages` to its base URL, the other `/responses`. The gateway serves
 * both under `/v1`.
 */
function clientBaseUrl(model: TurnModel): string {
  const root = model.baseUrl.replace(/\/+$/, "");
  return model.wire === "openai-responses" && !root.endsWith("/v1") ? `${root}/v1` : root;
}

type Abilities = Pick<Model<Api>, "name" | "reasoning" | "thinkingLevelMap" | "compat" | "inputLimits">;

function knownModel(model: TurnModel): Abilities | undefined {
  if (model.provider === "kimi") return kimiModels[model.id];
  return listCatalog(model.provider).find((entry) => entry.id === model.id && entry.api === model.wire);
}

/** The models of pi's catalog that speak a wire of the gateway. */
function listCatalog(provider: string): Model<Api>[] {
  if (provider === "anthropic") return getBuiltinModels("anthropic");
  return provider === "openai" ? getBuiltinModels("openai") : [];
}

/** pi's catalog has Kimi's models only on another wire. */
const kimiModels: Record<string, Abilities> = {
  k3: { name: "Kimi K3", ...createKimi() },
  "kimi-for-coding": { name: "Kimi For Coding", ...createKimi() },
  "kimi-for-coding-highspeed": {
    name: "Kimi For Coding HighSpeed",
    reasoning: true,
    compat: { forceAdaptiveThinking: true },
  },
};

/** Kimi takes three efforts, and thinking back without a signature. */
function createKimi() {
  return {
    reasoning: true,
    compat: { forceAdaptiveThinking: true, allowEmptySignature: true },
    thinkingLevelMap: { off: null, minimal: null, low: "low", medium: null, high: "high", xhigh: null, max: "max" },
  };
}

type Compat = NonNullable<Model<Api>["compat"]>;

/**
 * Drops the options by which a provider falls back to other models, gets a placeholder tool, keeps
 * the conversation, or gets a change of effort in a form that a ChatGPT login refuses.
 */
function gatewayCompat(wire: ModelWire, compat: Compat): Compat {
  return wire === "openai-responses"
    ? { ...compat, supportsMidConvoEffort: false }
    : { ...compat, allowedFallbackModels: [], supportsMidConvoToolChanges: false, supportsMessageThreads: false };
}

const thinkingLevels: readonly ModelThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The effort in pi's terms. pi lowers a level that the model does not offer. */
export function toThinkingLevel(effort: string): ModelThinkingLevel {
  if (effort === "none") return "off";
  return thinkingLevels.find((level) => level === effort) ?? "medium";
}

/** The name of the speed field in each provider API. */
const speedFields: Record<string, string> = { "anthropic-messages": "speed", "openai-responses": "service_tier" };

type Payload = Record<string, unknown>;
type ChangePayload = (payload: Payload, api: string) => Payload;

/**
 * Sets the speed field of a model request, unless the turn runs at the standard speed, which is
 * null.
 */
function withSpeed(payload: Payload, api: string, speed: string | null): Payload {
  const field = speedFields[api];
  return field === undefined || speed === null ? payload : { ...payload, [field]: speed };
}

/** Finds the JSON Schema of a tool's input by the tool's name. */
export type FindParameters = (tool: string) => Record<string, unknown> | null;

/** The name of a tool's schema in each provider API. */
const schemaFields: Record<string, string> = { "anthropic-messages": "input_schema", "openai-responses": "parameters" };

/**
 * Sends the whole schema of each of the product's tools. pi leaves out parts of it for one API, and
 * does not know the schema of a tool whose input the service checks. For the other API, pi may
 * offer tools in items of the input.
 */
function withWholeTools(payload: Payload, api: string, findParameters: FindParameters): Payload {
  const field = schemaFields[api];
  if (field === undefined) return payload;
  const withTools = (offer: Payload): Payload => {
    if (!Array.isArray(offer.tools)) return offer;
    const tools = offer.tools.map((tool: Payload) => {
      const parameters = typeof tool.name === "string" ? findParameters(tool.name) : null;
      return parameters === null ? tool : { ...tool, [field]: parameters };
    });
    return { ...offer, tools };
  };
  return withTools(Array.isArray(payload.input) ? { ...payload, input: payload.input.map(withTools) } : payload);
}

/** Changes each model request before it is sent. */
function withPayload(streams: ProviderStreams, change: ChangePayload): ProviderStreams {
  function changed<Options extends Pick<SimpleStreamOptions, "onPayload">>(options: Options | undefined) {
    return {
      ...options,
      onPayload: async (payload: unknown, model: Model<string>) =>
        change(((await options?.onPayload?.(payload, model)) ?? payload) as Payload, model.api),
    };
  }
  return {
    stream: (model, context, options) => streams.stream(model, context, changed(options)),
    streamSimple: (model, context, options) => streams.streamSimple(model, context, changed(options)),
  };
}
