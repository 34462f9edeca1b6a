// Deletes a workspace.
import { type Actor, findUser } from "../access/rules/actor.ts";
import { startWorkspaceDeletion } from "../deletion/queries.ts";
import { startDeletion } from "../deletion/start.ts";
import type { Env } from "../env.ts";
import { revokeAfterResponse } from "../provider-login/connect/revoke.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { endStreams } from "./end-streams.ts";
import { findWorkspace } from "./queries/workspaces.ts";
import { refuseDeletion } from "./rules/deletion.ts";

/**
 * Deletes a workspace. Its routes return 404 immediately; its contents are deleted afterwards.
 * `name` must be the workspace's name, so that nobody deletes a workspace by mistake.
 */
export async function deleteWorkspace(
  env: Pick<Env, "DB" | "DELETION" | "WORKSPACE_EVENTS" | "SEALING_KEYS" | "MODEL_LOGIN_CLIENTS" | "JURISDICTION">,
  { id, name, by }: { id: string; name: string; by: Actor },
  now: number,
): Promise<Refusal | null> {
  const ownerId = findUser(by)?.id;
  if (ownerId === undefined) return refuse("FORBIDDEN");
  const isStarted = await startWorkspaceDeletion(env.DB, { id, name, ownerId }, now);
  if (!isStarted) return refuseDeletion(await findWorkspace(env.DB, id), name);
  endStreams(env, id, "all");
  revokeAfterResponse(env);
  await startDeletion(env, { type: "workspace", id });
  return null;
}
