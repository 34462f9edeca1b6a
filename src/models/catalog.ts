// The model catalog: every model a turn can run on. A family stands once, with its efforts and speeds; each effort at each speed becomes
// an entry of its own. Ids, windows and prices are those of the model list that the coding agent ships with.
import { type CatalogModel, formatModelId, type Reasoning, type Speed } from "../rules/model.ts";
import type { ProviderId } from "../rules/provider.ts";

/** US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What the wire and the bill need to know of one speed of a family. */
interface Run {
  /** The provider's own id of the model. */
  wireId: string;
  contextWindow: number;
  maxOutputTokens: number;
  acceptsImages: boolean;
  price: Price;
}

export interface CatalogEntry extends CatalogModel, Run {
  /** The effort in the wire's words. */
  wireEffort: WireEffort;
  /** `speed` on the messages wire, `service_tier` on the responses wire; null when the id alone says it. */
  wireSpeed: "fast" | "priority" | null;
}

interface FastRun extends Partial<Run> {
  wireSpeed?: "fast" | "priority";
}

interface Family extends Run {
  provider: ProviderId;
  model: string;
  name: string;
  efforts: readonly Reasoning[];
  /** What differs from the standard speed. */
  fast?: FastRun;
  ultrafast?: FastRun;
  legacy?: true;
}

const wireEfforts = { low: "low", medium: "medium", high: "high", xhigh: "xhigh", ultra: "max" } as const;
export type WireEffort = (typeof wireEfforts)[Reasoning];

const upToHigh = ["low", "medium", "high"] as const;
const upToXhigh = ["low", "medium", "high", "xhigh"] as const;
const upToUltra = ["low", "medium", "high", "xhigh", "ultra"] as const;
const lowHighUltra = ["low", "high", "ultra"] as const;

const price = (input: number, output: number, cacheRead: number, cacheWrite: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

// A provider's first current family is its default.
// biome-ignore format: a table is read by its columns.
const families: readonly Family[] = [
  { provider: "anthropic", model: "opus",      name: "Claude Opus 5.5",   wireId: "claude-opus-5-5",           efforts: upToUltra,    contextWindow: 1_000_000, maxOutputTokens: 128_000, acceptsImages: true,  price: price(4, 20, 0.2, 5),
    fast: { wireSpeed: "fast", price: price(8, 40, 0.4, 10) } },
  { provider: "anthropic", model: "sonnet",    name: "Claude Sonnet 5",   wireId: "claude-sonnet-5",           efforts: upToUltra,    contextWindow: 1_000_000, maxOutputTokens: 128_000, acceptsImages: true,  price: price(2, 10, 0.2, 2.5) },
  { provider: "anthropic", model: "haiku",     name: "Claude Haiku 4.5",  wireId: "claude-haiku-4-5-20251001", efforts: upToHigh,     contextWindow: 200_000,   maxOutputTokens: 64_000,  acceptsImages: true,  price: price(1, 5, 0.1, 1.25) },
  { provider: "anthropic", model: "opus-4.8",  name: "Claude Opus 4.8",   wireId: "claude-opus-4-8",           efforts: upToUltra,    contextWindow: 1_000_000, maxOutputTokens: 128_000, acceptsImages: true,  price: price(5, 25, 0.5, 6.25), legacy: true },
  { provider: "openai",    model: "gpt",       name: "GPT-6 Sol",         wireId: "gpt-6-sol",                 efforts: upToUltra,    contextWindow: 272_000,   maxOutputTokens: 128_000, acceptsImages: true,  price: price(2, 10, 0.2, 2.5),
    fast: { wireSpeed: "priority", price: price(4, 20, 0.4, 5) } },
  { provider: "openai",    model: "gpt-luna",  name: "GPT-6 Luna",        wireId: "gpt-6-luna",                efforts: upToUltra,    contextWindow: 272_000,   maxOutputTokens: 128_000, acceptsImages: true,  price: price(0.1, 0.5, 0.01, 0.125) },
  { provider: "openai",    model: "codex",     name: "GPT-5.3 Codex",     wireId: "gpt-5.3-codex",             efforts: upToXhigh,    contextWindow: 400_000,   maxOutputTokens: 128_000, acceptsImages: true,  price: price(1.75, 14, 0.175, 0),
    fast: { wireSpeed: "priority", price: price(3.5, 28, 0.35, 0) },
    ultrafast: { wireId: "gpt-5.3-codex-spark", contextWindow: 128_000, maxOutputTokens: 32_000 } },
  { provider: "openai",    model: "gpt-5.5",   name: "GPT-5.5",           wireId: "gpt-5.5",                   efforts: upToXhigh,    contextWindow: 272_000,   maxOutputTokens: 128_000, acceptsImages: true,  price: price(5, 30, 0.5, 0), legacy: true },
  { provider: "zai",       model: "glm",       name: "GLM-5.3",           wireId: "glm-5.3",                   efforts: lowHighUltra, contextWindow: 1_000_000, maxOutputTokens: 131_072, acceptsImages: false, price: price(1.4, 4.4, 0.26, 0) },
  { provider: "zai",       model: "glm-flash", name: "GLM-5.3-Flash",     wireId: "glm-5.3-flash",             efforts: lowHighUltra, contextWindow: 1_000_000, maxOutputTokens: 131_072, acceptsImages: true,  price: price(0.15, 0.5, 0.03, 0) },
  { provider: "kimi",      model: "kimi",      name: "Kimi K3",           wireId: "k3",                        efforts: lowHighUltra, contextWindow: 1_048_576, maxOutputTokens: 131_072, acceptsImages: true,  price: price(3, 15, 0.3, 0) },
  { provider: "kimi",      model: "kimi-code", name: "Kimi For Coding",   wireId: "kimi-for-coding",           efforts: lowHighUltra, contextWindow: 1_048_576, maxOutputTokens: 32_768,  acceptsImages: true,  price: price(0.95, 4, 0.19, 0),
    fast: { wireId: "kimi-for-coding-highspeed", contextWindow: 262_144, price: price(1.9, 8, 0.38, 0) } },
];

const effortNames: Record<Reasoning, string> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  ultra: "Ultra",
};
const speedNames: Record<Speed, string> = { fast: "Fast", ultrafast: "Ultrafast" };

function entriesOf(family: Family): CatalogEntry[] {
  const { provider, model, name, efforts, fast, ultrafast, legacy, ...standard } = family;
  const runs: [Speed | null, FastRun][] = [[null, {}]];
  if (fast) runs.push(["fast", fast]);
  if (ultrafast) runs.push(["ultrafast", ultrafast]);
  return runs.flatMap(([speed, { wireSpeed = null, ...run }]) =>
    efforts.map((reasoning) => ({
      value: formatModelId({ provider, model, reasoning, speed }),
      provider,
      model,
      reasoning,
      speed,
      label: [name, effortNames[reasoning], speed && speedNames[speed]].filter(Boolean).join(" · "),
      ...(legacy && { legacy }),
      ...standard,
      ...run,
      wireEffort: wireEfforts[reasoning],
      wireSpeed,
    })),
  );
}

export const catalog: readonly CatalogEntry[] = families.flatMap(entriesOf);

const byValue = new Map(catalog.map((entry) => [entry.value, entry]));

/** The entry of a model id; undefined when the catalog has none. */
export function catalogEntry(modelId: string): CatalogEntry | undefined {
  return byValue.get(modelId);
}
