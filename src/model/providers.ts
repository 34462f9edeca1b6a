// The four model providers: their names, their wire formats and how the model gateway reaches them.
// The setting PROVIDER_URLS can replace a base URL.

import type { ModelWire } from "../sandbox-protocol/protocol.ts";
import { type ProviderId, type ProviderPromise, providerPromises } from "./rules/provider.ts";

export interface Provider extends ProviderPromise {
  id: ProviderId;
  /** The name shown to people. */
  name: string;
  wire: ModelWire;
  /** The address of the real service; paths are appended to it. */
  baseUrl: string;
  /** The path of a model call, under `baseUrl` and under the gateway's address. */
  callPath: "/v1/messages" | "/v1/responses";
  /** The header of a pasted key. The access token of a login is always sent as a bearer token. */
  keyHeader: "x-api-key" | "authorization";
  /** True if the provider stores a call's conversation unless the call has `store: false`. */
  storesByDefault: boolean;
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
    storesByDefault: false,
  },
  openai: {
    ...providerPromises.openai,
    id: "openai",
    name: "OpenAI",
    wire: "openai-responses",
    baseUrl: "https://api.openai.com",
    callPath: "/v1/responses",
    keyHeader: "authorization",
    storesByDefault: true,
  },
  zai: {
    ...providerPromises.zai,
    id: "zai",
    name: "Z.ai",
    wire: "anthropic-messages",
    baseUrl: "https://api.z.ai/api/anthropic",
    callPath: "/v1/messages",
    keyHeader: "authorization",
    storesByDefault: false,
  },
  kimi: {
    ...providerPromises.kimi,
    id: "kimi",
    name: "Kimi",
    wire: "anthropic-messages",
    baseUrl: "https://api.kimi.com/coding",
    callPath: "/v1/messages",
    keyHeader: "x-api-key",
    storesByDefault: false,
  },
};
