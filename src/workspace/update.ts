// Changes a workspace: its name, slug, default model and timezone.

import { checkZoneOfCrons, planCronsAgain } from "../cron/change-zone.ts";
import type { Env } from "../env.ts";
import { catalog } from "../model/catalog.ts";
import { checkInCatalog } from "../model/rules/choice.ts";
import { notifyTurnsOfPayer } from "../provider-login/invalidate-payer.ts";
import { type Refusal, refuse } from "../rules/refusal.ts";
import { refuseTakenSlug } from "./create.ts";
import { updateWorkspace as change, type Workspace, type WorkspaceChanges } from "./queries/workspaces.ts";
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
