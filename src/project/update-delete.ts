// Deletes a project. Its routes return 404 at once; its contents are deleted afterwards.

import { beginRemoval } from "../actions/begin-removal.ts";
import type { Env } from "../env.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { removeProject } from "../storage/queries/removals.ts";
import { endStreams } from "../workspace/end-streams.ts";

export async function deleteProject(
  env: Pick<Env, "DB" | "REMOVAL" | "WORKSPACE_EVENTS">,
  { id, workspaceId }: { id: string; workspaceId: string },
  now: number,
): Promise<Refusal | null> {
  if (!(await removeProject(env.DB, id, now))) return refuse("NOT_FOUND", "There is no such project.");
  endStreams(env, workspaceId, { projectId: id });
  await beginRemoval(env, { type: "project", id });
  return null;
}
