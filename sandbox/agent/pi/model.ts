// The model of a turn as pi knows it: reached through the model gateway alone, with what pi's own catalog knows of its abilities.
import { type Api, createProvider, type Model, type ModelThinkingLevel, type Provider } from "@earendil-works/pi-ai";
import * as anthropicMessages from "@earendil-works/pi-ai/api/anthropic-messages";
import * as openaiResponses from "@earendil-works/pi-ai/api/openai-responses";
import { getBuiltinModels } from "@earendil-works/pi-ai/providers/all";
import type { TurnStart } from "../../../src/sandbox/protocol.ts";
import { uncompressed } from "../../http/service-fetch.ts";
import { atSpeed } from "./speed.ts";

type TurnModel = TurnStart["model"];

/** Nobody asks what a turn costs. */
const uncounted = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A provider that sends every request to the model gateway, with the token and at the speed of the turn that runs then. */
export function gatewayProvider(id: string, running: () => Pick<TurnModel, "token" | "speed"> | null): Provider {
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
      "anthropic-messages": atSpeed(anthropicMessages, speed),
      "openai-responses": atSpeed(openaiResponses, speed),
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

/** One client adds `/v1/messages` to its base URL, the other `/responses`: the gateway is called at `/v1` either way. */
function clientBaseUrl(model: TurnModel): string {
  const root = model.baseUrl.replace(/\/+$/, "");
  return model.wire === "openai-responses" && !root.endsWith("/v1") ? `${root}/v1` : root;
}

function knownModel(model: TurnModel): Model<Api> | undefined {
  return catalogOf(model.provider).find((entry) => entry.id === model.id && entry.api === model.wire);
}

function catalogOf(provider: string): Model<Api>[] {
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

/** Without what would have the provider fall back to other models or be offered a placeholder tool. */
function gatewayCompat(compat: NonNullable<Model<Api>["compat"]>): NonNullable<Model<Api>["compat"]> {
  return { ...compat, allowedFallbackModels: [], supportsMidConvoToolChanges: false };
}

const thinkingLevels: readonly ModelThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The effort in pi's terms. pi itself lowers what a model does not offer. */
export function toThinkingLevel(effort: string): ModelThinkingLevel {
  if (effort === "none") return "off";
  return thinkingLevels.find((level) => level === effort) ?? "medium";
}
