// The gates of a run: the reasons why its fire skips or refuses it (Part 2, "Cron run statuses",
// "Crons"). `fire.ts` also skips the slots that an outage missed.

import { canRun, type ModelFacts } from "../../model/rules/choice.ts";
import { findProvider } from "../../model/rules/model.ts";
import { unusedMainDays } from "../../rules/limits.ts";
import { findSpentReason, noSpend, type Spend, spentCode } from "../../usage/rules/spend-limit.ts";
import { allowanceUsedUp } from "../../workspace/rules/billing-block.ts";
import type { Cron, CronState, RunInFlight } from "./cron.ts";

/** The state of a project at a fire. */
export interface ProjectFacts {
  id: string;
  name: string;
  targetBranch: string;
  /**
   * Null while the project is not live, and after its main sandbox was deleted because nobody used
   * it.
   */
  mainSandboxKey: string | null;
}

export interface GateFacts extends ModelFacts {
  /** True if the workspace, the cron's creator or its last writer is suspended. */
  isSuspended: boolean;
  projects: readonly ProjectFacts[];
  workspaceDefaultModel: string | null;
  isBlockedOnBilling: boolean;
  /** The spend of this month. */
  workspaceSpend: Spend;
}

/**
 * The reason why a run in this project is skipped: a suspension, or a run that has not ended there.
 * Null if it is not skipped. A skip is no failure, and comes before every reason of `checkRun`.
 */
export function findSkip(
  { inFlight }: Pick<CronState, "inFlight">,
  projectId: string,
  { isSuspended }: Pick<GateFacts, "isSuspended">,
): string | null {
  if (isSuspended) return "The workspace, or the person whose cron this is, is suspended.";
  const inTheWay = inFlight.find((one) => one.projectId === projectId);
  return inTheWay ? formatOverlap(inTheWay) : null;
}

function formatOverlap({ runId, isOpen, createdAt }: RunInFlight): string {
  const since = new Date(createdAt).toISOString();
  return `The run ${runId} of ${since} was still ${isOpen ? "going" : "starting"} in this project.`;
}

export interface RunRefusal {
  error: string;
  errorCode: "project_deleted" | "not_deployed" | "no_credentials" | "model_unavailable" | "credit_limit_reached";
}

/** Said of a cron that is created, and of each run that is due. */
export const noProvider =
  "The workspace has no usable credentials of a model provider. An owner or admin can connect one under its credentials.";

/** The reason why a run cannot start; null if it can. Each reason says what to do. */
export function checkRun(
  { model }: Pick<Cron, "model">,
  project: ProjectFacts | null,
  facts: GateFacts,
): RunRefusal | null {
  if (project === null) return { error: "The project was deleted.", errorCode: "project_deleted" };
  if (project.mainSandboxKey === null) {
    return {
      error: `The project has no main sandbox: it is not deployed, or was deleted after ${unusedMainDays} days without use. Start a Deploy; the next fire then runs.`,
      errorCode: "not_deployed",
    };
  }
  if (facts.runnable.size === 0) {
    return { error: noProvider, errorCode: "no_credentials" };
  }
  if (model !== null && !canRun(model, facts)) {
    return {
      error: `The workspace cannot run the cron's model ${model}. Connect ${findProvider(model) ?? "its provider"} to the workspace, or choose another model.`,
      errorCode: "model_unavailable",
    };
  }
  if (facts.isBlockedOnBilling) {
    return { error: allowanceUsedUp.message, errorCode: "credit_limit_reached" };
  }
  const spent = findSpentReason({ workspace: facts.workspaceSpend, session: noSpend });
  return spent === null ? null : { error: spent, errorCode: spentCode };
}
