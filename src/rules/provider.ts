// A model provider, as far as the product's promises depend on which one it is. How to reach one is in `models/providers.ts`.

/** In the order in which the catalog lists them. */
export const providerIds = ["anthropic", "openai", "zai", "kimi"] as const;
export type ProviderId = (typeof providerIds)[number];

/** How a person connects: a sign-in whose code they bring back, a sign-in on a second device, or a pasted key. */
export type Connection = "browser-code" | "device-code" | "api-key";

export interface ProviderPromise {
  connection: Connection;
  /** What a skill message starts with in sessions of this provider. */
  invocationCharacter: "/" | "$";
  /** Whose form of skills and plugins its sessions use. */
  skillsOf: "anthropic" | "openai";
  /** What its usage answer carries beside the 5-hour window. */
  longUsageWindow: "week" | "month";
  /** The effort at which the deploy agent runs its default model; null when the deploy agent cannot use the provider. */
  deployReasoning: "xhigh" | "high" | null;
  /** True when a message can be steered into a running turn of the deploy agent. */
  takesDeploySteers: boolean;
}

// biome-ignore format: a table is read by its columns.
export const providerPromises: Record<ProviderId, ProviderPromise> = {
  anthropic: { connection: "browser-code", invocationCharacter: "/", skillsOf: "anthropic", longUsageWindow: "week",  deployReasoning: "xhigh", takesDeploySteers: true },
  openai:    { connection: "device-code",  invocationCharacter: "$", skillsOf: "openai",    longUsageWindow: "week",  deployReasoning: "high",  takesDeploySteers: false },
  zai:       { connection: "api-key",      invocationCharacter: "/", skillsOf: "anthropic", longUsageWindow: "week",  deployReasoning: null,    takesDeploySteers: false },
  kimi:      { connection: "api-key",      invocationCharacter: "/", skillsOf: "anthropic", longUsageWindow: "month", deployReasoning: null,    takesDeploySteers: false },
};

/** True for the four provider values of the wire. */
export function isProviderId(text: string): text is ProviderId {
  return (providerIds as readonly string[]).includes(text);
}
