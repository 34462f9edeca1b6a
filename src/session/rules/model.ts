// The model of a session: of a new one, of one that a cron run files, of one that starts, and after
// a change (Part 1, "Models"). `src/model/rules/choice.ts` has what a turn runs on.
import { isUnfinished } from "../../chat/rules/turn.ts";
import { canRun, checkChosenModel, checkInCatalog, type ModelFacts } from "../../model/rules/choice.ts";
import { findProvider } from "../../model/rules/model.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { checkNoCommand } from "./runtime-command.ts";
import type { SessionState } from "./session.ts";

/**
 * True if a cron run files a session on the model that it names: the workspace can run it, or the
 * catalog does not have it, which is refused later.
 */
export function mayFileOn(model: string | undefined, facts: ModelFacts): boolean {
  return model !== undefined && (checkInCatalog(model, facts.catalog) !== null || canRun(model, facts));
}

/** The model of any other session that a cron run files: the run's, if the workspace can run it. */
export function findModelOfFiled(ofRun: string | null, facts: ModelFacts): string | undefined {
  return ofRun !== null && canRun(ofRun, facts) ? ofRun : undefined;
}

/**
 * Refuses a new session on a model that the Assignee cannot run. With a first message, the refusal
 * does not say why: the contract specifies this.
 */
export function checkModelOfNew(model: string | undefined, hasMessage: boolean, facts: ModelFacts): Refusal | null {
  if (model === undefined) return null;
  if (!hasMessage) return checkChosenModel(model, facts);
  const unknown = checkInCatalog(model, facts.catalog);
  if (unknown || canRun(model, facts)) return unknown;
  return refuse("BAD_REQUEST", "The session could not be created on this model. Choose another one.");
}

/** Refuses to start a Backlog session on a model that the Assignee cannot run, with the cause. */
export function checkModelOfBacklog(model: string | null, facts: ModelFacts): Refusal | null {
  if (model === null || canRun(model, facts)) return null;
  const provider = findProvider(model) ?? "its provider";
  return refuse(
    "BAD_REQUEST",
    `The session cannot start on ${model}: its Assignee cannot run ${provider}. Connect ${provider}, or change the session's model.`,
  );
}

/**
 * The model can be changed in a Backlog session, and in an Active session while no turn runs.
 */
export function checkModelChange(
  { session, chat }: SessionState,
  model: string | undefined,
  facts: ModelFacts,
): Refusal | null {
  if (model === undefined || model === chat.model) return null;
  if (session.status !== "backlog" && session.status !== "active") {
    return refuse("BAD_REQUEST", "The model changes only while a session is in the Backlog or Active.");
  }
  if (isUnfinished(chat.turn)) return refuse("JOB_ACTIVE", "A turn is running. Change the model when it has ended.");
  return checkNoCommand(session) ?? checkChosenModel(model, facts);
}
