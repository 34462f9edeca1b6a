// The model providers, and the promises that differ between them. How to reach them is in `models/providers.ts`.

import { isRefusal, type Refusal, refuse } from "../refusal.ts";

/** In the order of the catalog. */
export const providerIds = ["anthropic", "openai", "zai", "kimi"] as const;
export type ProviderId = (typeof providerIds)[number];

export interface ProviderPromise {
  /** The character that skill messages start with. */
  invocationCharacter: "/" | "$";
  /** The effort of the deploy agent's default model; null if the deploy agent cannot use the provider. */
  deployReasoning: "xhigh" | "high" | null;
  /** How people connect a subscription of their own: by signing in, or with a pasted API key. */
  connectsBy: "sign-in" | "key";
}

export const providerPromises: Record<ProviderId, ProviderPromise> = {
  anthropic: { invocationCharacter: "/", deployReasoning: "xhigh", connectsBy: "sign-in" },
  openai: { invocationCharacter: "$", deployReasoning: "high", connectsBy: "sign-in" },
  zai: { invocationCharacter: "/", deployReasoning: null, connectsBy: "key" },
  kimi: { invocationCharacter: "/", deployReasoning: null, connectsBy: "key" },
};

/** Refuses a name in a path that is no provider's. */
export function providerNamed(name = ""): ProviderId | Refusal {
  if (isProviderId(name)) return name;
  return refuse("BAD_REQUEST", `There is no provider of this name. There are ${providerIds.join(", ")}.`);
}

/** Refuses a provider that people do not connect with an API key of their own. */
export function keyProviderNamed(name = ""): ProviderId | Refusal {
  const provider = providerNamed(name);
  if (isRefusal(provider) || providerPromises[provider].connectsBy === "key") return provider;
  return refuse("BAD_REQUEST", `${provider} connects by signing in. An API key of your own connects zai and kimi.`);
}

/** True for the four provider values of the wire. */
export function isProviderId(text: string): text is ProviderId {
  return (providerIds as readonly string[]).includes(text);
}
