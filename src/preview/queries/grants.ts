// Whether the grant of an Auth Token is still valid. Only an open WebSocket is checked, because it
// outlives its token.

interface Granted {
  sandboxKey: string;
  /** Null for a member. */
  linkMadeAt: number | null;
  /** Null for nobody's grant, which ends with its token. */
  userId: string | null;
  keyId: string | null;
}

/**
 * Checks whether a grant is still valid. A member's key is neither revoked nor expired, and the
 * member is in the workspace and not suspended. A public link is not revoked. The workspace is not
 * suspended.
 */
export async function isGrantValid(
  database: D1Database,
  { sandboxKey, linkMadeAt, userId, keyId }: Granted,
  workspaceId: string,
  now: number,
): Promise<boolean> {
  const [holds, values] =
    linkMadeAt === null
      ? [
          `SELECT 1 FROM keys k JOIN users u ON u.id = k.user_id AND u.suspended_at IS NULL
           JOIN members m ON m.user_id = u.id AND m.workspace_id = w.id
           WHERE k.user_id = ?2 AND k.id = ?3 AND (k.expires_at IS NULL OR k.expires_at > ?4)`,
          [userId, keyId, now],
        ]
      : ["SELECT 1 FROM share_links l WHERE l.sandbox_key = ?2 AND l.created_at = ?3", [sandboxKey, linkMadeAt]];
  const found = await database
    .prepare(`SELECT 1 FROM workspaces w WHERE w.id = ?1 AND w.suspended_at IS NULL AND EXISTS (${holds})`)
    .bind(workspaceId, ...values)
    .first();
  return found !== null;
}
