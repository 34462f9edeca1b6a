// Deletes a workspace.
import { type Actor, findUser } from "../access/rules/actor.ts";
import { startWorkspaceDeletion } from "../deletion/queries.ts";
import { startDeletion } from "../deletion/start.ts";
import type { Env } from "../env.ts";
import { revokeAfterResponse } from "../provider-login/connect/revoke.ts";
import { type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { endStreams } from "./end-streams.ts";
import { findWorkspace } from "./queries/workspaces.ts";

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
  if (!(await startWorkspaceDeletion(env.DB, { id, name, ownerId }, now))) return await whyNot(env, id, name);
  endStreams(env, id, "all");
  revokeAfterResponse(env);
  await startDeletion(env, { type: "workspace", id });
  return null;
}

async function whyNot(env: Pick<Env, "DB">, id: string, name: string): Promise<Refusal> {
  const workspace = await findWorkspace(env.DB, id);
  if (!workspace) return refuse("NOT_FOUND", "There is no such workspace.");
  if (workspace.name !== name) return refuseField("name", "must be the workspace's own name, letter by letter");
  return refuse("FORBIDDEN", "Only the owner may do this.");
}
