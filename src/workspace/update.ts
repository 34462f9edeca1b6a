// Changes a workspace: its name, slug, default model and timezone.

import { type Actor, findUser } from "../access/rules/actor.ts";
import { checkZoneOfCrons, planCronsAgain } from "../cron/change-zone.ts";
import { startWorkspaceDeletion } from "../deletion/queries.ts";
import { startDeletion } from "../deletion/start.ts";
import type { Env } from "../env.ts";
import { catalog } from "../model/catalog.ts";
import { checkInCatalog } from "../model/rules/choice.ts";
import { revokeAfterResponse } from "../provider-login/connect/revoke.ts";
import { notifyTurnsOfPayer } from "../provider-login/invalidate-payer.ts";
import { type Refusal, refuse, refuseField } from "../rules/refusal.ts";
import { refuseTakenSlug } from "./create.ts";
import { endStreams } from "./end-streams.ts";
import {
  updateWorkspace as change,
  findWorkspace,
  type Workspace,
  type WorkspaceChanges,
} from "./queries/workspaces.ts";
import { checkTimezone } from "./rules/workspace.ts";

/** Returns the changed workspace. CONFLICT if the slug is taken. */
export async function updateWorkspace(
  env: Pick<Env, "DB" | "SWEEP" | "SESSION" | "JURISDICTION">,
  workspaceId: string,
  changes: WorkspaceChanges,
): Promise<Workspace | Refusal> {
  const { slug, defaultModel, timezone } = changes;
  const refusal =
    (defaultModel ? checkInCatalog(defaultModel, catalog, "defaultModel") : null) ??
    (timezone === undefined ? null : checkTimezone(timezone)) ??
    (timezone === undefined ? null : await checkZoneOfCrons(env, workspaceId, timezone, Date.now()));
  if (refusal) return refusal;
  const changed = await change(env.DB, workspaceId, changes);
  if (changed && timezone !== undefined) await planCronsAgain(env, workspaceId, Date.now());
  if (changed && changes.spendLimitUsd !== undefined) await notifyTurnsOfPayer(env, workspaceId);
  if (changed) return changed;
  return slug === undefined ? refuse("NOT_FOUND", "There is no such workspace.") : await refuseTakenSlug(env, slug);
}

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
