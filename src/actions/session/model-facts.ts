// The facts about a workspace that the choice of a turn's model depends on.
import type { TurnModelFacts } from "../../rules/model/model-choice.ts";
import type { WorkspaceFound } from "../../storage/queries/access.ts";

/** Returns the model facts of a workspace. Members have neither personal credentials nor a personal default. */
export function modelFacts(workspace: WorkspaceFound): TurnModelFacts {
  return {
    runnable: new Set(workspace.providers),
    assigneeDefaultModel: null,
    workspaceDefaultModel: workspace.defaultModel,
  };
}
