// The model of a cron and of its runs: what a cron may be saved on, and what a run gets (Part 2,
// "Crons", `model`).

import { canRun, checkInCatalog, findPreferredModel, type ModelFacts } from "../../model/rules/choice.ts";
import { findProvider } from "../../model/rules/model.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { Cron } from "./cron.ts";
import type { GateFacts } from "./gate.ts";

/**
 * The model of a run: the cron's model, else the workspace's default if it can run, else any model
 * that can run. Null if none can.
 */
export function findModelForRun({ model }: Pick<Cron, "model">, facts: GateFacts): string | null {
  return model ?? findPreferredModel([facts.workspaceDefaultModel], facts);
}

/** Refuses a cron on a model that the workspace cannot run. Null keeps the default. */
export function checkCronModel(model: string | null, facts: ModelFacts): Refusal | null {
  if (model === null) return null;
  const unknown = checkInCatalog(model, facts.catalog);
  if (unknown || canRun(model, facts)) return unknown;
  const provider = findProvider(model) ?? "its provider";
  return refuse(
    "BAD_REQUEST",
    `The workspace cannot run ${provider}. Connect ${provider} to the workspace, or choose another model.`,
  );
}
