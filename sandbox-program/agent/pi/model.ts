// The model of a turn in pi's terms. It is reached only through the model gateway. Its abilities
// come from pi's catalog.
import {
  type Api,
  createProvider,
  type Model,
  type ModelThinkingLevel,
  type Provider,
  type ProviderStreams,
  type SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import * as anthropicMessages from "@earendil-works/pi-ai/api/anthropic-messages";
import * as openaiResponses from "@earendil-works/pi-ai/api/openai-responses";
import { getBuiltinModels } from "@earendil-works/pi-ai/providers/all";
import type { TurnStart } from "../../../src/sandbox-protocol/protocol.ts";
import { uncompressed } from "../../http/service-fetch.ts";
import { withAbsenceRetries } from "./outlast.ts";

type TurnModel = TurnStart["model"];

/** pi requires prices, but the product shows none. */
const uncounted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * A provider that sends every request to the model gateway, with the token and the speed of the
 * current turn. It waits while the gateway is unreachable.
 */
export function createGatewayProvider(id: string, running: () => Pick<TurnModel, "token" | "speed"> | null): Provider {
  const speed = () => running()?.speed ?? null;
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
      "anthropic-messages": atSpeed(withAbsenceRetries(anthropicMessages), speed),
      "openai-responses": atSpeed(withAbsenceRetries(openaiResponses), speed),
    },
  });
}

/** The model in pi's terms. */
export function toPiModel(model: TurnModel): Model<Api> {
  const known = knownModel(model);
  return {
    id: model.id,
    name: known?.name ?? model.id,
    api: model.wire,
    provider: model.provider,
    baseUrl: clientBaseUrl(model),
    headers: uncompressed,
    reasoning: known?.reasoning ?? true,
    ...(known?.thinkingLevelMap ? { thinkingLevelMap: known.thinkingLevelMap } : {}),
    ...(known?.compat ? { compat: gatewayCompat(known.compat) } : {}),
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

function knownModel(model: TurnModel): Model<Api> | undefined {
  return listCatalog(model.provider).find((entry) => entry.id === model.id && entry.api === model.wire);
}

function listCatalog(provider: string): Model<Api>[] {
  switch (provider) {
    case "anthropic":
      return getBuiltinModels("anthropic");
    case "openai":
      return getBuiltinModels("openai");
    case "kimi":
      return getBuiltinModels("kimi-coding");
    case "zai":
      return getBuiltinModels("zai");
    default:
      return [];
  }
}

/** Drops the options by which a provider falls back to other models or gets a placeholder tool. */
function gatewayCompat(compat: NonNullable<Model<Api>["compat"]>): NonNullable<Model<Api>["compat"]> {
  return { ...compat, allowedFallbackModels: [], supportsMidConvoToolChanges: false };
}

const thinkingLevels: readonly ModelThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The effort in pi's terms. pi lowers a level that the model does not offer. */
export function toThinkingLevel(effort: string): ModelThinkingLevel {
  if (effort === "none") return "off";
  return thinkingLevels.find((level) => level === effort) ?? "medium";
}

/** The name of the speed field in each provider API. */
const speedFields: Record<string, string> = { "anthropic-messages": "speed", "openai-responses": "service_tier" };

/**
 * Sets the speed field in each model request of a turn that does not run at the standard speed.
 * `speed` is read at each request; null leaves the request unchanged.
 */
function atSpeed(streams: ProviderStreams, speed: () => string | null): ProviderStreams {
  function withSpeed<Options extends Pick<SimpleStreamOptions, "onPayload">>(options: Options | undefined) {
    return {
      ...options,
      onPayload: async (payload: unknown, model: Model<string>) => {
        const sent = (await options?.onPayload?.(payload, model)) ?? payload;
        const field = speedFields[model.api];
        const wanted = speed();
        return field === undefined || wanted === null ? sent : { ...(sent as object), [field]: wanted };
      },
    };
  }
  return {
    stream: (model, context, options) => streams.stream(model, context, withSpeed(options)),
    streamSimple: (model, context, options) => streams.streamSimple(model, context, withSpeed(options)),
  };
}
