// The choice of a model: which model a turn runs on, and which models can be chosen. The caller
// passes in the catalog and the usable providers, because they change without the rules.
import { type Refusal, refuse, refuseField } from "../../rules/refusal.ts";
import { type CatalogModel, findDefaultModel, findProvider } from "./model.ts";
import { type ProviderId, providerIds } from "./provider.ts";

/** The facts that the choice of a model depends on. */
export interface ModelFacts {
  /** The first current family of a provider is its default. */
  catalog: readonly CatalogModel[];
  /** The providers for which the session's Assignee, or the workspace, has usable credentials. */
  runnable: ReadonlySet<ProviderId>;
}

/** True if the catalog has the model and there is a usable credential for its provider. */
export function canRun(modelId: string, { catalog, runnable }: ModelFacts): boolean {
  const found = catalog.find((entry) => entry.value === modelId);
  return found !== undefined && runnable.has(found.provider);
}

/**
 * Returns the first preference that can run, otherwise the default model of the first runnable
 * provider; null if none is runnable.
 */
export function findPreferredModel(preferences: readonly (string | null)[], facts: ModelFacts): string | null {
  const preferred = preferences.find((id) => id !== null && canRun(id, facts));
  if (preferred) return preferred;
  const provider = providerIds.find((id) => facts.runnable.has(id));
  return provider === undefined ? null : findDefaultModel(provider, facts.catalog);
}

/**
 * The facts about a workspace that a turn's model depends on: the connected providers, and the
 * defaults.
 */
export interface TurnModelFacts {
  runnable: ReadonlySet<ProviderId>;
  /** The providers that the session uses through a member's subscription. */
  subscribed: ReadonlySet<ProviderId>;
  assigneeDefaultModel: string | null;
  workspaceDefaultModel: string | null;
}

export interface ModelPreferences {
  /** The model that the message names; ignored if it cannot run. */
  asked: string | null;
  /**
   * The session's current model. It does not change even if its provider must be connected again;
   * the turn then reports that.
   */
  current: string | null;
  assigneeDefault: string | null;
  workspaceDefault: string | null;
}

/**
 * The model that a turn runs on (Part 1, "Send body", `model`); null if no provider is runnable.
 */
export function findModelOfTurn(preferences: ModelPreferences, facts: ModelFacts): string | null {
  const { asked, current, assigneeDefault, workspaceDefault } = preferences;
  if (asked !== null && canRun(asked, facts)) return asked;
  if (current !== null && facts.catalog.some((entry) => entry.value === current)) return current;
  return findPreferredModel([assigneeDefault, workspaceDefault], facts);
}

/**
 * Refuses a chosen model that is not in the catalog. `field` is the field of the request that names
 * it.
 */
export function checkInCatalog(
  modelId: string,
  catalog: readonly CatalogModel[],
  field: "model" | "defaultModel" = "model",
): Refusal | null {
  if (catalog.some((entry) => entry.value === modelId)) return null;
  const message = "This model is not in the catalog. Take a value from GET /api/models.";
  return refuseField(field, "is not in the model catalog", message);
}

/** Refuses a chosen model that is not in the catalog, or that the session's Assignee cannot run. */
export function checkChosenModel(modelId: string, facts: ModelFacts): Refusal | null {
  const unknown = checkInCatalog(modelId, facts.catalog);
  if (unknown || canRun(modelId, facts)) return unknown;
  const provider = findProvider(modelId) ?? "this provider";
  return refuse(
    "BAD_REQUEST",
    `The session's Assignee cannot run ${provider}. Connect ${provider} to the Assignee's account or to the workspace, or choose another model.`,
  );
}
