// The four model providers: what they are called, which wire they speak and how the model gateway reaches them. Where a setting names
// another base URL for a provider, that one stands instead of the real service's.
import { type ProviderId, type ProviderPromise, providerPromises } from "../rules/model/provider.ts";
import type { ModelWire } from "../sandbox/protocol.ts";

export interface Provider extends ProviderPromise {
  id: ProviderId;
  /** For people. */
  name: string;
  wire: ModelWire;
  /** The real service; paths are appended to it. */
  baseUrl: string;
  /** The path of a model call under `baseUrl`. The agent uses the same path under the gateway's address. */
  callPath: "/v1/messages" | "/v1/responses";
  /** How a pasted key is sent. A token from a sign-in is always sent as a bearer credential. */
  keyHeader: "x-api-key" | "authorization";
}

export const providers: Record<ProviderId, Provider> = {
  anthropic: {
    ...providerPromises.anthropic,
    id: "anthropic",
    name: "Anthropic",
    wire: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    callPath: "/v1/messages",
    keyHeader: "x-api-key",
  },
  openai: {
    ...providerPromises.openai,
    id: "openai",
    name: "OpenAI",
    wire: "openai-responses",
    baseUrl: "https://api.openai.com",
    callPath: "/v1/responses",
    keyHeader: "authorization",
  },
  zai: {
    ...providerPromises.zai,
    id: "zai",
    name: "Z.ai",
    wire: "anthropic-messages",
    baseUrl: "https://api.z.ai/api/anthropic",
    callPath: "/v1/messages",
    keyHeader: "authorization",
  },
  kimi: {
    ...providerPromises.kimi,
    id: "kimi",
    name: "Kimi",
    wire: "anthropic-messages",
    baseUrl: "https://api.kimi.com/coding",
    callPath: "/v1/messages",
    keyHeader: "x-api-key",
  },
};
