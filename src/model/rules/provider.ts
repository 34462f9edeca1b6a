// The model providers, and the product's promises that differ between them. `model/providers.ts`
// has their addresses and formats.

import { isRefusal, type Refusal, refuse } from "../../rules/refusal.ts";

/** In the order of the catalog. */
export const providerIds = ["anthropic", "openai", "zai", "kimi"] as const;
export type ProviderId = (typeof providerIds)[number];

export interface ProviderPromise {
  /**
   * The effort of the deploy agent's default model; null if the deploy agent cannot use the
   * provider.
   */
  deployReasoning: "xhigh" | "high" | null;
  /**
   * How people connect their own subscription: by signing in, in the browser or with a device code,
   * or with a pasted API key.
   */
  connectsBy: "browser" | "device" | "key";
}

export const providerPromises: Record<ProviderId, ProviderPromise> = {
  anthropic: { deployReasoning: "xhigh", connectsBy: "browser" },
  openai: { deployReasoning: "high", connectsBy: "device" },
  zai: { deployReasoning: null, connectsBy: "key" },
  kimi: { deployReasoning: null, connectsBy: "key" },
};

/** Refuses a name in a path that is not a provider's. */
export function parseProvider(name: string): ProviderId | Refusal {
  if (isProviderId(name)) return name;
  return refuse("BAD_REQUEST", `There is no provider of this name. There are ${providerIds.join(", ")}.`);
}

/** Refuses a provider that people do not connect with their own API key. */
export function parseKeyProvider(name: string): ProviderId | Refusal {
  const provider = parseProvider(name);
  if (isRefusal(provider) || providerPromises[provider].connectsBy === "key") return provider;
  return refuse(
    "BAD_REQUEST",
    `${provider} is connected by signing in. Only zai and kimi are connected with an API key of your own.`,
  );
}

/** Refuses a provider that has no sign-in. */
export function parseSignInProvider(name: string): ProviderId | Refusal {
  const provider = parseProvider(name);
  if (isRefusal(provider) || providerPromises[provider].connectsBy !== "key") return provider;
  return refuse(
    "BAD_REQUEST",
    `${provider} is connected with an API key. Only anthropic and openai are connected by signing in.`,
  );
}

/** True for the four provider values of the wire. */
export function isProviderId(text: string): text is ProviderId {
  return (providerIds as readonly string[]).includes(text);
}
