// The model providers, and the promises that differ between them. How to reach them is in `models/providers.ts`.

/** In the order of the catalog. */
export const providerIds = ["anthropic", "openai", "zai", "kimi"] as const;
export type ProviderId = (typeof providerIds)[number];

export interface ProviderPromise {
  /** The character that skill messages start with. */
  invocationCharacter: "/" | "$";
  /** The effort of the deploy agent's default model; null if the deploy agent cannot use the provider. */
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
