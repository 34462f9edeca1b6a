// A model provider, as far as the product's promises depend on which one it is. How to reach one is in `models/providers.ts`.

/** In the order in which the catalog lists them. */
export const providerIds = ["anthropic", "openai", "zai", "kimi"] as const;
export type ProviderId = (typeof providerIds)[number];

export interface ProviderPromise {
  /** What a skill message starts with in sessions of this provider. */
  invocationCharacter: "/" | "$";
  /** The effort at which the deploy agent runs its default model; null when the deploy agent cannot use the provider. */
  deployReasoning: "xhigh" | "high" | null;
}

export const providerPromises: Record<ProviderId, ProviderPromise> = {
  anthropic: { invocationCharacter: "/", deployReasoning: "xhigh" },
  openai: { invocationCharacter: "$", deployReasoning: "high" },
  zai: { invocationCharacter: "/", deployReasoning: null },
  kimi: { invocationCharacter: "/", deployReasoning: null },
};

/** True for the four provider values of the wire. */
export function isProviderId(text: string): text is ProviderId {
  return (providerIds as readonly string[]).includes(text);
}
