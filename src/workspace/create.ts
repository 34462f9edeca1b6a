// Creates a workspace, with the caller as its owner.
import type { Env } from "../env.ts";
import { createName } from "../lib/ids.ts";
import type { Refusal } from "../rules/refusal.ts";
import { addWorkspace, countOwned, findFreeSlug, type Workspace } from "./queries/workspaces.ts";
import { checkOwned, listSlugsBeside, refuseSlug, toSlugOfName } from "./rules/workspace.ts";

const idCharacters = 20;
const randomSlugCharacters = 6;

/**
 * Returns the new workspace. CONFLICT if the slug is taken, even one that is made from the name;
 * BAD_REQUEST if the caller already owns the maximum number of workspaces.
 */
export async function createWorkspace(
  env: Pick<Env, "DB">,
  { name, slug, ownerId }: { name: string; slug: string | undefined; ownerId: string },
  now: number,
): Promise<Workspace | Refusal> {
  const workspace: Workspace = {
    id: `ws_${createName(idCharacters)}`,
    name,
    slug: slug ?? toSlugOfName(name, `workspace-${createName(randomSlugCharacters)}`),
    logo: null,
    timezone: "UTC",
    defaultModel: null,
    spendLimitUsd: null,
    generatedTitles: false,
    plan: "free",
    storedBytes: 0,
    network: null,
    suspendedAt: null,
    createdAt: now,
  };
  const isAdded = await addWorkspace(env.DB, workspace, ownerId);
  if (isAdded) return workspace;
  return checkOwned(await countOwned(env.DB, ownerId)) ?? (await refuseTakenSlug(env, workspace.slug));
}

const randomCharacters = 8;

/** Refuses a taken slug, and suggests a free one. */
export async function refuseTakenSlug(env: Pick<Env, "DB">, slug: string): Promise<Refusal> {
  const offers = listSlugsBeside(slug, createName(randomCharacters));
  return refuseSlug(slug, (await findFreeSlug(env.DB, offers)) ?? offers.at(-1) ?? "");
}
