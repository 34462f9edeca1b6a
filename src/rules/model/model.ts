// A model: what a turn runs on. Its id is `<provider>:<model>__<reasoning>`, with `__<speed>` behind it when it is not the standard one.
// The catalog and the providers that can be run are given by the caller, because they change without the rules.

import { type Refusal, refuse, refuseField } from "../refusal.ts";
import { isProviderId, type ProviderId, providerIds, providerPromises } from "./provider.ts";

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
  /** Null is the standard speed. */
  speed: Speed | null;
}

/** A catalog entry as clients see it. */
export interface CatalogModel extends ModelParts {
  value: string;
  label: string;
  /** On a retired model; a session can still start on it. */
  legacy?: true;
}

/** What a choice of model depends on. */
export interface ModelFacts {
  /** The first current family of a provider is its default. */
  catalog: readonly CatalogModel[];
  /** The providers that the session's Assignee, or the workspace, has usable credentials for. */
  runnable: ReadonlySet<ProviderId>;
}

/** Puts a model id together. */
export function formatModelId({ provider, model, reasoning, speed }: ModelParts): string {
  return `${provider}:${model}__${reasoning}${speed === null ? "" : `__${speed}`}`;
}

const idShape = new RegExp(
  `^(?<provider>${providerIds.join("|")}):(?<model>[a-z0-9]+(?:-[a-z0-9]+)*)__(?<reasoning>${reasonings.join("|")})(?:__(?<speed>${speeds.join("|")}))?$`,
);

/** Takes a model id apart; null when it has not the shape of one. */
export function parseModelId(id: string): ModelParts | null {
  const parts = idShape.exec(id)?.groups;
  if (!parts) return null;
  const provider = providerIds.find((known) => known === parts.provider);
  const reasoning = reasonings.find((known) => known === parts.reasoning);
  const speed = speeds.find((known) => known === parts.speed) ?? null;
  return provider && reasoning && parts.model ? { provider, model: parts.model, reasoning, speed } : null;
}

/** The provider that a model id starts with; null for none. */
export function providerOf(modelId: string | null): ProviderId | null {
  const prefix = modelId?.split(":", 1)[0] ?? "";
  return modelId?.includes(":") && isProviderId(prefix) ? prefix : null;
}

/** What a skill message starts with in a session on this model (Part 1, "Skill messages"). */
export function invocationCharacterOf(modelId: string | null): "/" | "$" {
  const provider = providerOf(modelId);
  return provider === null ? "/" : providerPromises[provider].invocationCharacter;
}

/** True when the catalog has the model and its provider can be run. */
export function canRun(modelId: string, { catalog, runnable }: ModelFacts): boolean {
  const found = catalog.find((entry) => entry.value === modelId);
  return found !== undefined && runnable.has(found.provider);
}

/** A provider's default model: its first current family, at standard speed. */
export function defaultModelOf(
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

/** The first of the wished models that can be run, otherwise the default of the first provider that can; null when none can. */
export function preferredModel(wishes: readonly (string | null)[], facts: ModelFacts): string | null {
  const wish = wishes.find((id) => id !== null && canRun(id, facts));
  if (wish) return wish;
  const provider = providerIds.find((id) => facts.runnable.has(id));
  return provider === undefined ? null : defaultModelOf(provider, facts.catalog);
}

/** What a turn's model depends on besides wishes and the catalog: who can be run, and whose defaults there are. */
export interface ModelCircumstances {
  runnable: ReadonlySet<ProviderId>;
  assigneeDefaultModel: string | null;
  workspaceDefaultModel: string | null;
}

export interface ModelWishes {
  /** What the message asks for; ignored when it cannot be run. */
  asked: string | null;
  /** What the session runs on so far. It stays even when its provider needs connecting again: the turn then says so. */
  current: string | null;
  assigneeDefault: string | null;
  workspaceDefault: string | null;
}

/** The model a turn runs on (Part 1, "Send body", `model`); null when no provider can be run. */
export function modelOfTurn(wishes: ModelWishes, facts: ModelFacts): string | null {
  const { asked, current, assigneeDefault, workspaceDefault } = wishes;
  if (asked !== null && canRun(asked, facts)) return asked;
  if (current !== null && facts.catalog.some((entry) => entry.value === current)) return current;
  return preferredModel([assigneeDefault, workspaceDefault], facts);
}

/** The model a Deploy runs on when none is saved (Part 2, "Deploys"): `runnable` is what the workspace has credentials for. */
export function defaultDeployModel({ catalog, runnable }: ModelFacts): string | null {
  for (const provider of providerIds) {
    const reasoning = providerPromises[provider].deployReasoning;
    if (reasoning !== null && runnable.has(provider)) return defaultModelOf(provider, catalog, reasoning);
  }
  return null;
}

/** Refuses a model that is chosen outright, by create, update or a saved setting: it has to be in the catalog. */
export function checkInCatalog(modelId: string, catalog: readonly CatalogModel[]): Refusal | null {
  if (catalog.some((entry) => entry.value === modelId)) return null;
  const message = "This model is not in the catalog. Take a value from GET /api/models.";
  return refuseField("model", "is not in the model catalog", message);
}

/** Refuses a model that is chosen outright and that the session's Assignee cannot run. */
export function checkChosenModel(modelId: string, facts: ModelFacts): Refusal | null {
  const unknown = checkInCatalog(modelId, facts.catalog);
  if (unknown || canRun(modelId, facts)) return unknown;
  const provider = providerOf(modelId) ?? "this provider";
  return refuse(
    "BAD_REQUEST",
    `The session's Assignee cannot run ${provider}. Connect ${provider} to the Assignee's account or to the workspace, or choose another model.`,
  );
}
