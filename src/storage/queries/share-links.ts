// Share links: the public links of previews, one for each sandbox.
import { and, eq, isNull, lt, or } from "drizzle-orm";
import { lastViewedAccuracyMs } from "../../rules/limits.ts";
import { openD1 } from "../database.ts";
import { shareLinks } from "../tables/sandboxes.ts";

export type ShareLink = typeof shareLinks.$inferSelect;

/** The link of a sandbox; null when it has none. */
export async function findShareLink(database: D1Database, sandboxKey: string): Promise<ShareLink | null> {
  return (await openD1(database).select().from(shareLinks).where(eq(shareLinks.sandboxKey, sandboxKey)).get()) ?? null;
}

/** Makes the link of a sandbox, unless it has one; answers the one that stands. */
export async function makeShareLink(database: D1Database, link: ShareLink): Promise<ShareLink> {
  const db = openD1(database);
  const [, [standing]] = await db.batch([
    db.insert(shareLinks).values(link).onConflictDoNothing(),
    db.select().from(shareLinks).where(eq(shareLinks.sandboxKey, link.sandboxKey)),
  ]);
  return standing ?? link;
}

/** Ends the link of a sandbox. Safe to repeat. */
export async function revokeShareLink(database: D1Database, sandboxKey: string): Promise<void> {
  await openD1(database).delete(shareLinks).where(eq(shareLinks.sandboxKey, sandboxKey)).run();
}

/** Notes that a link was viewed, at most once in the time that `lastViewedAt` is accurate to. */
export async function noteView(database: D1Database, { slug, lastViewedAt }: ShareLink, now: number): Promise<void> {
  const notedBefore = now - lastViewedAccuracyMs;
  if (lastViewedAt !== null && lastViewedAt >= notedBefore) return;
  // Of many who view it at once, one writes.
  const isOld = or(isNull(shareLinks.lastViewedAt), lt(shareLinks.lastViewedAt, notedBefore));
  await openD1(database)
    .update(shareLinks)
    .set({ lastViewedAt: now })
    .where(and(eq(shareLinks.slug, slug), isOld))
    .run();
}
