// The model of a turn. Its id is `<provider>:<model>__<reasoning>`, followed by `__<speed>` if that
// is not the standard speed.

import { isProviderId, type ProviderId, providerIds } from "./provider.ts";

export const reasonings = ["low", "medium", "high", "xhigh", "ultra"] as const;
export type Reasoning = (typeof reasonings)[number];

export const speeds = ["fast", "ultrafast"] as const;
export type Speed = (typeof speeds)[number];

/** The parts of a model id. */
export interface ModelParts {
  provider: ProviderId;
  /** The family, such as `opus` or `gpt`. */
  model: string;
  reasoning: Reasoning;
  /** Null means the standard speed. */
  speed: Speed | null;
}

/** A catalog entry, as clients receive it. */
export interface CatalogModel extends ModelParts {
  value: string;
  label: string;
  /** On a retired model; a session can still start on it. */
  legacy?: true;
}

/** Formats a model id. */
export function formatModelId({ provider, model, reasoning, speed }: ModelParts): string {
  return `${provider}:${model}__${reasoning}${speed === null ? "" : `__${speed}`}`;
}

const idShape = new RegExp(
  `^(?<provider>${providerIds.join("|")}):(?<model>[a-z0-9]+(?:-[a-z0-9]+)*)__(?<reasoning>${reasonings.join("|")})(?:__(?<speed>${speeds.join("|")}))?$`,
);

/** Parses a model id; null if it is malformed. */
export function parseModelId(id: string): ModelParts | null {
  const parts = idShape.exec(id)?.groups;
  if (!parts) return null;
  const provider = providerIds.find((known) => known === parts.provider);
  const reasoning = reasonings.find((known) => known === parts.reasoning);
  const speed = speeds.find((known) => known === parts.speed) ?? null;
  return provider && reasoning && parts.model ? { provider, model: parts.model, reasoning, speed } : null;
}

/** The provider of a model id; null if it has none. */
export function findProvider(modelId: string | null): ProviderId | null {
  const prefix = modelId?.split(":", 1)[0] ?? "";
  return modelId?.includes(":") && isProviderId(prefix) ? prefix : null;
}

/**
 * A provider's default model: its first current family at standard speed. Null if the catalog has
 * none.
 */
export function findDefaultModel(
  provider: ProviderId,
  catalog: readonly CatalogModel[],
  reasoning: Reasoning = "high",
): string | null {
  const family = catalog.find((entry) => entry.provider === provider && entry.legacy !== true)?.model;
  const ofFamily = catalog.filter(
    (entry) => entry.provider === provider && entry.model === family && entry.speed === null,
  );
  return (ofFamily.find((entry) => entry.reasoning === reasoning) ?? ofFamily[0])?.value ?? null;
}
