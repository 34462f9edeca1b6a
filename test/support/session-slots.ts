// The slots that sessions of one workspace hold. Files share a world, so another file's sessions
// may still hold some.
import type { createClient } from "./client.ts";
import { until } from "./until.ts";
import type { WorldAddress } from "./world-address.ts";
import { createInside } from "./world-inside.ts";

/** The ids of the sessions that hold a slot in the workspace. */
export async function heldSlots(world: Pick<WorldAddress, "insideUrl">, workspaceId: unknown): Promise<string[]> {
  const held = "SELECT owner_id AS id FROM sandbox_slots WHERE workspace_id = ? AND owner_type = 'session'";
  return (await createInside(world).sql(held, workspaceId)).map(({ id }) => String(id));
}

/**
 * Stops whatever holds a slot of the project's workspace, as a member of it. Returns the id of the
 * workspace.
 */
export async function freeSlots(
  world: Pick<WorldAddress, "insideUrl">,
  member: ReturnType<typeof createClient>,
  projectId: string,
): Promise<string> {
  const [project] = await createInside(world).sql("SELECT workspace_id AS id FROM projects WHERE id = ?", projectId);
  const workspaceId = String(project?.id);
  await until("every slot to be free", async () => {
    const sessionIds = await heldSlots(world, workspaceId);
    if (sessionIds.length > 0) await member.post(`/api/organizations/${workspaceId}/stop-sandboxes`, { sessionIds });
    return sessionIds.length === 0;
  });
  return workspaceId;
}
