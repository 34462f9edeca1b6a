// Deletes the workspaces that a deleted person owned and nobody else belongs to.
import type { Env } from "../env.ts";
import { listMemberships } from "./queries/person.ts";
import { startWorkspaceDeletion } from "./queries.ts";
import { startDeletion } from "./start.ts";

/**
 * Deletes the workspaces of which the person is the owner and the only member, as their owner
 * would. Returns their slugs.
 */
export async function deleteLoneWorkspaces(
  env: Pick<Env, "DB" | "DELETION" | "JURISDICTION">,
  userId: string,
  now: number,
): Promise<{ workspaceId: string; slug: string }[]> {
  const deleted: { workspaceId: string; slug: string }[] = [];
  for (const { workspaceId, name, slug, isOwner, others } of await listMemberships(env.DB, userId)) {
    if (!isOwner || others > 0) continue;
    const lone = { id: workspaceId, name, ownerId: userId, isLone: true };
    if (!(await startWorkspaceDeletion(env.DB, lone, now))) continue;
    await startDeletion(env, { type: "workspace", id: workspaceId });
    deleted.push({ workspaceId, slug });
  }
  return deleted;
}
