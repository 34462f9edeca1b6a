// Reads whether a person may keep a terminal open.
import { isOpen, type SessionStatus } from "../session/rules/status.ts";
import type { TerminalFacts } from "./rules/ends.ts";

/** Whose terminal it is, and of which session. */
export interface TerminalHolder {
  userId: string;
  /** The browser session that opened it. */
  keyId: string;
  sessionId: string;
  /** The sandbox that it is in. */
  sandboxKey: string;
}

/**
 * The facts about an open terminal. Null if its person has signed out, has left the workspace, or
 * is suspended, and if the session was deleted.
 */
export async function findTerminalFacts(
  database: D1Database,
  { userId, keyId, sessionId, sandboxKey }: TerminalHolder,
  now: number,
): Promise<TerminalFacts | null> {
  const row = await database
    .prepare(
      `SELECT s.status AS status, s.sandbox_key AS sandboxKey FROM keys k
       JOIN users u ON u.id = k.user_id AND u.suspended_at IS NULL
       JOIN members m ON m.user_id = u.id
       JOIN workspaces w ON w.id = m.workspace_id AND w.suspended_at IS NULL
       JOIN sessions s ON s.workspace_id = w.id AND s.id = ?3
       WHERE k.user_id = ?1 AND k.id = ?2 AND (k.expires_at IS NULL OR k.expires_at > ?4)`,
    )
    .bind(userId, keyId, sessionId, now)
    .first<{ status: SessionStatus; sandboxKey: string }>();
  return row && { isOpen: isOpen(row.status), isItsSandbox: row.sandboxKey === sandboxKey };
}
