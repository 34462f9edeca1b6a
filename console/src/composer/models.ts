// The model catalog as people choose from it: by provider and family, then effort and speed.
import type { Schemas } from "@switchyard/client";

type Model = Schemas["Model"];
export type Provider = Model["provider"];

export interface Family {
  provider: Provider;
  model: string;
  name: string;
  isLegacy: boolean;
  entries: Model[];
}

export const providerNames: Record<Provider, string> = {
  anthropic: "Anthropic",
  openai: "OpenAI",
  zai: "Z.ai",
  kimi: "Kimi",
};

const efforts: Record<Model["reasoning"], string> = {
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  ultra: "Ultra",
};
const speeds: Record<string, string> = { standard: "Standard", fast: "Fast", ultrafast: "Ultrafast" };

export const effortName = (effort: Model["reasoning"]): string => efforts[effort];
export const speedName = (speed: Model["speed"]): string => speeds[speed ?? "standard"] ?? "Standard";

/** The families of a catalog by provider, in the order of the catalog; retired ones last. */
export function groupModels(models: readonly Model[]): [provider: Provider, families: Family[]][] {
  const families = Map.groupBy(models, ({ provider, model }) => `${provider}:${model}`);
  const all = [...families.values()].flatMap((entries) => {
    const [first] = entries;
    if (!first) return [];
    const { provider, model, label } = first;
    const name = label.split(" · ")[0] ?? model;
    return [{ provider, model, name, isLegacy: first.legacy === true, entries }];
  });
  const sorted = all.sort((one, other) => Number(one.isLegacy) - Number(other.isLegacy));
  return [...Map.groupBy(sorted, ({ provider }) => provider)];
}

/** The entry of a family that is nearest to what was chosen before. */
export function pickEntry(
  { entries }: Family,
  wanted: { reasoning: Model["reasoning"]; speed: Model["speed"] },
): Model | undefined {
  const ofEffort = entries.filter(({ reasoning }) => reasoning === wanted.reasoning);
  const some = ofEffort.length > 0 ? ofEffort : entries.filter(({ reasoning }) => reasoning === "high");
  const pool = some.length > 0 ? some : entries;
  return pool.find(({ speed }) => speed === wanted.speed) ?? pool.find(({ speed }) => speed === null) ?? pool[0];
}

/** What a person must know who types a key of a provider: `npm start` has a practice provider. */
export const findKeyHint = (models: readonly Model[], provider: Provider): string | null =>
  models.some((model) => model.provider === provider && model.label.endsWith("(practice)"))
    ? "This is the practice provider. Its keys begin with sk-practice-, such as sk-practice-1."
    : null;

/** Why a provider's models cannot be run; null where they can. */
export function findAccessProblem(access: Schemas["ProviderAccess"] | undefined): string | null {
  if (!access || access.canRun) return null;
  return access.needsReauth ? "Sign in again to this provider" : "No login or key of this provider";
}

/** Why the chosen model cannot be run; null where it can, and for a default. */
export function findChoiceProblem(
  models: readonly Model[],
  chosen: string | null,
  access: Schemas["AccessStatus"]["providers"] | undefined,
): string | null {
  const model = models.find(({ value }) => value === chosen);
  const problem = model && findAccessProblem(access?.[model.provider]);
  return problem ? `${providerNames[model.provider]}: ${problem}. Choose another model, or connect it.` : null;
}

/** True if at least one provider's models can be run, or while that is not known. */
export const canRunAny = (access: Schemas["AccessStatus"]["providers"] | undefined): boolean =>
  access === undefined || Object.values(access).some(({ canRun }) => canRun);

/** A model in short, as `Claude Opus 5.5 · High`. */
export const shortLabel = ({ label }: Model): string => label.replace(/ \([^)]*\)$/, "");
