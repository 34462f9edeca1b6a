// Share links: the public links of previews, at most one for each sandbox.
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { lastViewedAccuracyMs } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import { mayRecordView } from "../rules/share-link.ts";
import { shareLinks } from "../tables.ts";

export type ShareLink = typeof shareLinks.$inferSelect;

/** The link of a sandbox; null if it has none. */
export async function findShareLink(database: D1Database, sandboxKey: string): Promise<ShareLink | null> {
  return (
    (await toDrizzle(database).select().from(shareLinks).where(eq(shareLinks.sandboxKey, sandboxKey)).get()) ?? null
  );
}

/**
 * Creates the link of a sandbox. Returns the existing one if it has one. A session that has just
 * claimed a spare is known by its slot before its own row names the sandbox. A promotion may have
 * replaced the main sandbox meanwhile.
 */
export async function createShareLink(database: D1Database, link: ShareLink): Promise<ShareLink> {
  const db = toDrizzle(database);
  const current =
    link.sessionId === null
      ? sql`SELECT main_sandbox_key FROM projects WHERE id = ${link.projectId}`
      : sql`SELECT sandbox_key FROM sandbox_slots WHERE owner_type = 'session' AND owner_id = ${link.sessionId}`;
  const sandboxKey = sql<string>`coalesce((${current}), ${link.sandboxKey})`;
  const [, [standing]] = await db.batch([
    db
      .insert(shareLinks)
      .values({ ...link, sandboxKey })
      .onConflictDoNothing(),
    db.select().from(shareLinks).where(eq(shareLinks.sandboxKey, sandboxKey)),
  ]);
  return standing ?? link;
}

/**
 * Revokes the link of a session's preview, or of the main preview without a session. False if there
 * is none. It is not found by its sandbox, which a promotion or a spare may replace meanwhile.
 */
export async function revokeShareLink(
  database: D1Database,
  { projectId, sessionId }: Pick<ShareLink, "projectId" | "sessionId">,
): Promise<boolean> {
  const isOfPreview = and(eq(shareLinks.projectId, projectId), sql`${shareLinks.sessionId} IS ${sessionId}`);
  const { meta } = await toDrizzle(database).delete(shareLinks).where(isOfPreview).run();
  return meta.changes > 0;
}

/** Records a view of a link, at most once within the accuracy of `lastViewedAt`. */
export async function recordView(database: D1Database, link: ShareLink, now: number): Promise<void> {
  if (!mayRecordView(link, now)) return;
  // Only one of several concurrent views writes.
  const isOld = or(isNull(shareLinks.lastViewedAt), lt(shareLinks.lastViewedAt, now - lastViewedAccuracyMs));
  await toDrizzle(database)
    .update(shareLinks)
    .set({ lastViewedAt: now })
    .where(and(eq(shareLinks.slug, link.slug), isOld))
    .run();
}
