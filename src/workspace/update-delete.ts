// Deletes a workspace. Its routes return 404 at once; its contents are deleted afterwards.

import { type Actor, userOf } from "../access/rules/actor.ts";
import { beginRemoval } from "../actions/begin-removal.ts";
import type { Env } from "../env.ts";
import { revokeBehindAnswer } from "../provider-login/connect/revoke.ts";
import { type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { removeWorkspace } from "../storage/queries/removals.ts";
import { endStreams } from "./end-streams.ts";
import { findWorkspace } from "./queries/workspaces.ts";

/** `name` has to be the workspace's name, so that nobody deletes a workspace by mistake. */
export async function deleteWorkspace(
  env: Pick<Env, "DB" | "REMOVAL" | "WORKSPACE_EVENTS" | "SEALING_KEYS" | "MODEL_LOGIN_CLIENTS">,
  { id, name, by }: { id: string; name: string; by: Actor },
  now: number,
): Promise<Refusal | null> {
  const ownerId = userOf(by)?.id;
  if (ownerId === undefined) return refuse("FORBIDDEN");
  if (!(await removeWorkspace(env.DB, { id, name, ownerId }, now))) return await whyNot(env, id, name);
  endStreams(env, id, "all");
  revokeBehindAnswer(env);
  await beginRemoval(env, { type: "workspace", id });
  return null;
}

async function whyNot(env: Pick<Env, "DB">, id: string, name: string): Promise<Refusal> {
  const workspace = await findWorkspace(env.DB, id);
  if (!workspace) return refuse("NOT_FOUND", "There is no such workspace.");
  if (workspace.name !== name) return refuseField("name", "must be the workspace's own name, letter by letter");
  return refuse("FORBIDDEN", "Only the owner may do this.");
}
