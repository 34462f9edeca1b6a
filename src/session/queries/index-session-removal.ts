// The deletion of a session from all tables that list, count or link to it.
import { and, eq } from "drizzle-orm";
import { artifacts } from "../../artifact/tables.ts";
import { openD1 } from "../../storage/database.ts";
import { sandboxSlots, shareLinks } from "../../storage/tables/sandboxes.ts";
import { jobs, sessions } from "../tables.ts";

/**
 * Deletes the rows of a session, its jobs, its artifacts and its public links. Its sandbox, which may still be ending, no longer counts to the
 * plan's limit, because nobody could find it to stop it. Idempotent.
 */
export async function deleteSessionRows(database: D1Database, sessionId: string): Promise<void> {
  const db = openD1(database);
  await db.batch([
    db.delete(shareLinks).where(eq(shareLinks.sessionId, sessionId)),
    db.delete(sessions).where(eq(sessions.id, sessionId)),
    db
      .update(sandboxSlots)
      .set({ ownerType: "deleted" })
      .where(and(eq(sandboxSlots.ownerType, "session"), eq(sandboxSlots.ownerId, sessionId))),
    db.delete(jobs).where(and(eq(jobs.ownerType, "session"), eq(jobs.ownerId, sessionId))),
    db.delete(artifacts).where(eq(artifacts.ownerId, sessionId)),
  ]);
}
