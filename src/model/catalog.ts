// The model catalog: every model on which a turn can run. Each effort and speed of a family is a
// separate entry. Ids, context windows and prices are those of the model list that ships with the
// coding agent.

import type { Price } from "../usage/rules/price.ts";
import { type CatalogModel, formatModelId, type Reasoning, type Speed, speeds } from "./rules/model.ts";
import { type ProviderId, providerIds } from "./rules/provider.ts";

/** A catalog model, with the data that a call needs and its prices. */
export interface CatalogEntry extends CatalogModel {
  /** The provider's own id of the model. */
  wireId: string;
  /** The value of the effort parameter on the wire. */
  wireEffort: (typeof wireEfforts)[Reasoning];
  /**
   * `speed` on the messages wire, `service_tier` on the responses wire; null if the model id
   * implies it.
   */
  wireSpeed: "fast" | "priority" | null;
  contextWindow: number;
  maxOutputTokens: number;
  acceptsImages: boolean;
  price: Price;
}

interface Run {
  wireId: string;
  wireSpeed?: "fast" | "priority";
  /** Context window and output limit, in tokens. */
  tokens: readonly [number, number];
  /** Input, output, cache read and cache write; see `Price`. */
  price: readonly [number, number, number, number];
}

interface Family extends Run {
  model: string;
  name: string;
  efforts: readonly Reasoning[];
  textOnly?: true;
  legacy?: true;
  /** The differences from the standard speed. */
  fast?: Partial<Run>;
  ultrafast?: Partial<Run>;
}

const wireEfforts = { low: "low", medium: "medium", high: "high", xhigh: "xhigh", ultra: "max" } as const;

const upToHigh = ["low", "medium", "high"] as const;
const upToXhigh = [...upToHigh, "xhigh"] as const;
const upToUltra = [...upToXhigh, "ultra"] as const;
const someToUltra = ["low", "high", "ultra"] as const;

// A provider's first family is its default.
// biome-ignore format: a table is read by its columns.
const families: Record<ProviderId, readonly [Family, ...Family[]]> = {
  anthropic: [
    { model: "opus",      name: "Claude Opus 5.5",  wireId: "claude-opus-5-5",           efforts: upToUltra,   tokens: [1_000_000, 128_000], price: [4, 20, 0.2, 5],
      fast: { wireSpeed: "fast", price: [8, 40, 0.4, 10] } },
    { model: "sonnet",    name: "Claude Sonnet 5",  wireId: "claude-sonnet-5",           efforts: upToUltra,   tokens: [1_000_000, 128_000], price: [2, 10, 0.2, 2.5] },
    { model: "haiku",     name: "Claude Haiku 4.5", wireId: "claude-haiku-4-5-20251001", efforts: upToHigh,    tokens: [200_000, 64_000],    price: [1, 5, 0.1, 1.25] },
    { model: "opus-4-8",  name: "Claude Opus 4.8",  wireId: "claude-opus-4-8",           efforts: upToUltra,   tokens: [1_000_000, 128_000], price: [5, 25, 0.5, 6.25], legacy: true },
  ],
  openai: [
    { model: "gpt",       name: "GPT-6 Sol",        wireId: "gpt-6-sol",                 efforts: upToUltra,   tokens: [272_000, 128_000],   price: [2, 10, 0.2, 2.5],
      fast: { wireSpeed: "priority", price: [4, 20, 0.4, 5] } },
    { model: "gpt-luna",  name: "GPT-6 Luna",       wireId: "gpt-6-luna",                efforts: upToUltra,   tokens: [272_000, 128_000],   price: [0.1, 0.5, 0.01, 0.125] },
    { model: "codex",     name: "GPT-5.3 Codex",    wireId: "gpt-5.3-codex",             efforts: upToXhigh,   tokens: [400_000, 128_000],   price: [1.75, 14, 0.175, 0],
      fast: { wireSpeed: "priority", price: [3.5, 28, 0.35, 0] },
      ultrafast: { wireId: "gpt-5.3-codex-spark", tokens: [128_000, 32_000] } },
    { model: "gpt-5-5",   name: "GPT-5.5",          wireId: "gpt-5.5",                   efforts: upToXhigh,   tokens: [272_000, 128_000],   price: [5, 30, 0.5, 0], legacy: true },
  ],
  zai: [
    { model: "glm",       name: "GLM-5.3",          wireId: "glm-5.3",                   efforts: someToUltra, tokens: [1_000_000, 131_072], price: [1.4, 4.4, 0.26, 0], textOnly: true },
    { model: "glm-flash", name: "GLM-5.3-Flash",    wireId: "glm-5.3-flash",             efforts: someToUltra, tokens: [1_000_000, 131_072], price: [0.15, 0.5, 0.03, 0] },
  ],
  kimi: [
    { model: "kimi",      name: "Kimi K3",          wireId: "k3",                        efforts: someToUltra, tokens: [1_048_576, 131_072], price: [3, 15, 0.3, 0] },
    { model: "kimi-code", name: "Kimi For Coding",  wireId: "kimi-for-coding",           efforts: someToUltra, tokens: [1_048_576, 32_768],  price: [0.95, 4, 0.19, 0],
      fast: { wireId: "kimi-for-coding-highspeed", tokens: [262_144, 32_768], price: [1.9, 8, 0.38, 0] } },
  ],
};

const effortNames: Record<Reasoning, string> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  ultra: "Ultra",
};
const speedNames: Record<Speed, string> = { fast: "Fast", ultrafast: "Ultrafast" };

function createEntry(provider: ProviderId, family: Family, reasoning: Reasoning, speed: Speed | null): CatalogEntry {
  const { model, name, legacy, textOnly = false } = family;
  const run: Run = { ...family, ...(speed && family[speed]) };
  const [contextWindow, maxOutputTokens] = run.tokens;
  const [input, output, cacheRead, cacheWrite] = run.price;
  return {
    value: formatModelId({ provider, model, reasoning, speed }),
    provider,
    model,
    reasoning,
    speed,
    label: [name, effortNames[reasoning], speed && speedNames[speed]].filter(Boolean).join(" · "),
    ...(legacy && { legacy }),
    wireId: run.wireId,
    wireEffort: wireEfforts[reasoning],
    wireSpeed: run.wireSpeed ?? null,
    contextWindow,
    maxOutputTokens,
    acceptsImages: !textOnly,
    price: { input, output, cacheRead, cacheWrite },
  };
}

/** All entries, ordered by provider and family; the standard speed first. */
export const catalog: readonly CatalogEntry[] = providerIds.flatMap((provider) =>
  families[provider].flatMap((family) =>
    [null, ...speeds]
      .filter((speed) => speed === null || family[speed])
      .flatMap((speed) => family.efforts.map((reasoning) => createEntry(provider, family, reasoning, speed))),
  ),
);

const byValue = new Map(catalog.map((entry) => [entry.value, entry]));

/** Returns the entry of a model id, or undefined if the catalog has none. */
export function findCatalogEntry(modelId: string): CatalogEntry | undefined {
  return byValue.get(modelId);
}
