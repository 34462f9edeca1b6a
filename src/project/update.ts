// Changes a project: its name, and the Target Branch of future sessions.

import { createCodeHost } from "../code-host/code-host.ts";
import { startProjectDeletion } from "../deletion/queries.ts";
import { startDeletion } from "../deletion/start.ts";
import type { Env } from "../env.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { endStreams } from "../workspace/end-streams.ts";
import { publishEvent } from "../workspace/publish-event.ts";
import { updateProject as change, findProject, type ProjectChanges, type ProjectRecord } from "./queries.ts";
import { refuseBranch, refuseRepository } from "./rules/repository.ts";

const unknown = refuse("NOT_FOUND", "There is no such project.");

/**
 * Returns the changed project. A Target Branch must exist at the code host; open sessions keep
 * theirs.
 */
export async function updateProject(
  env: Env,
  projectId: string,
  changes: ProjectChanges,
  now: number,
): Promise<ProjectRecord | Refusal> {
  const project = await findProject(env.DB, projectId);
  if (!project) return unknown;
  const { name = project.name, targetBranch = project.targetBranch } = changes;
  if (name === project.name && targetBranch === project.targetBranch) return project;
  if (targetBranch !== project.targetBranch) {
    const { repository } = project;
    const isThere = await createCodeHost(env, project).hasBranch(repository, targetBranch);
    if (isRefusal(isThere)) return isThere.code === "NOT_FOUND" ? refuseRepository(repository) : isThere;
    if (!isThere) return refuseBranch(repository, targetBranch);
  }
  const changed = await change(env.DB, projectId, { ...changes, updatedAt: now });
  if (changed === null) return unknown;
  publishEvent(env, changed.workspaceId, { type: "project-changed", project: changed });
  return changed;
}

/** Deletes a project. Its routes return 404 immediately; its contents are deleted afterwards. */
export async function deleteProject(
  env: Pick<Env, "DB" | "DELETION" | "WORKSPACE_EVENTS" | "JURISDICTION">,
  { id, workspaceId }: { id: string; workspaceId: string },
  now: number,
): Promise<Refusal | null> {
  if (!(await startProjectDeletion(env.DB, id, now))) return refuse("NOT_FOUND", "There is no such project.");
  endStreams(env, workspaceId, { projectId: id });
  publishEvent(env, workspaceId, { type: "project-deleted", projectId: id });
  await startDeletion(env, { type: "project", id });
  return null;
}
