// Checks whether a preview's grant is still valid: its member is in the workspace, its public link is not revoked.
import type { PreviewGrant } from "../../src/preview/host/address.ts";
import { findShareLink } from "../../src/preview/queries.ts";
import { findMember } from "../../src/workspace/queries/members.ts";

/** False for a grant that names neither, which ends with its token. */
export async function isGrantValid(
  { DB }: { DB: D1Database },
  { sandboxKey, linkMadeAt, userId }: PreviewGrant,
  workspaceId: string,
): Promise<boolean> {
  if (linkMadeAt !== null) return (await findShareLink(DB, sandboxKey))?.createdAt === linkMadeAt;
  return userId !== null && (await findMember(DB, workspaceId, userId)) !== null;
}
