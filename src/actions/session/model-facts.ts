// Model circumstances: what a workspace's credentials and defaults say about the model that a turn can run on.
import type { ModelCircumstances } from "../../rules/model/model.ts";
import type { WorkspaceFound } from "../../storage/queries/access.ts";

/** The circumstances of a workspace. Members have no credentials and no default of their own. */
export function modelCircumstances(workspace: WorkspaceFound): ModelCircumstances {
  return {
    runnable: new Set(workspace.providers),
    assigneeDefaultModel: null,
    workspaceDefaultModel: workspace.defaultModel,
  };
}
