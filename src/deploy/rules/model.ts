// The model of the deploy agent (Part 2, "Deploys"): the one that a member has chosen, otherwise
// the default of the workspace's credentials.

import { canRun, checkInCatalog, type ModelFacts } from "../../model/rules/choice.ts";
import { findDefaultModel, findProvider } from "../../model/rules/model.ts";
import { type ProviderId, providerIds, providerPromises } from "../../model/rules/provider.ts";
import { decided } from "../../rules/decision.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { ProjectDecision, ProjectState } from "./project-state.ts";
import { isAtWork } from "./status.ts";

/** The providers whose models the deploy agent can use. */
const deployProviders = providerIds.filter((id) => providerPromises[id].deployReasoning !== null);

/**
 * The model of the next turn; null if none can run. If the provider of a chosen model is no longer
 * available, the model is not replaced by another one.
 */
export function findDeployModel(savedModel: string | null, facts: ModelFacts): string | null {
  if (savedModel === null) return defaultDeployModel(facts);
  return canRun(savedModel, facts) ? savedModel : null;
}

/**
 * The model of a Deploy if none is saved. `runnable` are the providers of the workspace's
 * credentials.
 */
function defaultDeployModel({ catalog, runnable }: ModelFacts): string | null {
  for (const provider of providerIds) {
    const reasoning = providerPromises[provider].deployReasoning;
    if (reasoning !== null && runnable.has(provider)) return findDefaultModel(provider, catalog, reasoning);
  }
  return null;
}

/** The reason why no model can run, for the error of a Deploy. */
export function getNoModelError(savedModel: string | null): string {
  if (savedModel === null) {
    return `The deploy agent needs working credentials of ${deployProviders.join(" or ")}, and the workspace has none. An owner or admin can connect one.`;
  }
  const provider = findProvider(savedModel) ?? "its provider";
  return `The workspace has lost its credentials of ${provider}, which the chosen model ${savedModel} needs. Pick another model for the Deploy, or connect ${provider} again.`;
}

/** Saves the model of the next turns (Part 2, "Deploys"), while no Deploy runs or waits. */
export function saveDeployModel(state: ProjectState, model: string, facts: ModelFacts): ProjectDecision<string> {
  if (state.deploy !== null && isAtWork(state.deploy.status)) {
    return refuse(
      "BAD_REQUEST",
      "The model cannot be changed while a Deploy runs or waits for an answer. Stop the Deploy first.",
    );
  }
  return checkDeployModel(model, facts) ?? decided({ ...state, savedModel: model }, model);
}

/** Refuses a model that the deploy agent cannot use (Part 2, "Deploys"). */
function checkDeployModel(model: string, facts: ModelFacts): Refusal | null {
  const unknown = checkInCatalog(model, facts.catalog);
  if (unknown) return unknown;
  const provider: ProviderId | null = findProvider(model);
  if (provider === null || !deployProviders.includes(provider))
    return refuse(
      "BAD_REQUEST",
      `The deploy agent runs on models of ${deployProviders.join(" or ")}. Choose one of them.`,
    );
  if (canRun(model, facts)) return null;
  return refuse(
    "BAD_REQUEST",
    `The workspace has no working credentials of ${provider}. Connect it, or choose another model.`,
  );
}
