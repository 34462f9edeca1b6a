// Previews: what a preview belongs to, found by project and session or by the slug of its public link.
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { lastViewedAccuracyMs } from "../../rules/limits.ts";
import { isOverAllowance } from "../../rules/plan.ts";
import { openD1 } from "../database.ts";
import { workspaces } from "../tables/people.ts";
import { projects } from "../tables/projects.ts";
import { shareLinks } from "../tables/sandboxes.ts";
import { sessions } from "../tables/sessions.ts";
import type { Project } from "./projects.ts";
import { runningMsThisMonth } from "./running-time.ts";

export interface PreviewTarget {
  project: Project;
  /** Null for the project's main preview. */
  session: typeof sessions.$inferSelect | null;
}

export type ShareLink = typeof shareLinks.$inferSelect;

/** What a preview of a project, or of one of its sessions, belongs to. Null when there is no such session in the project. */
export async function findPreviewTarget(
  database: D1Database,
  projectId: string,
  sessionId: string | null,
): Promise<PreviewTarget | null> {
  const found = await openD1(database)
    .select({ project: projects, session: sessions })
    .from(projects)
    .leftJoin(sessions, and(eq(sessions.projectId, projects.id), eq(sessions.id, sessionId ?? "")))
    .where(eq(projects.id, projectId))
    .get();
  return !found || (sessionId !== null && !found.session) ? null : found;
}

export interface SharedTarget extends PreviewTarget {
  link: ShareLink;
  /** The workspace has used up what its plan allows it to run this month. */
  isBlockedOnBilling: boolean;
}

/** What a public link shows. Null for an unknown or revoked slug. */
export async function findSharedTarget(database: D1Database, slug: string): Promise<SharedTarget | null> {
  const runningMs = sql.raw(runningMsThisMonth("workspaces.id")).mapWith(Number);
  const found = await openD1(database)
    .select({ link: shareLinks, project: projects, session: sessions, plan: workspaces.plan, runningMs })
    .from(shareLinks)
    .innerJoin(projects, eq(projects.id, shareLinks.projectId))
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .leftJoin(sessions, eq(sessions.id, shareLinks.sessionId))
    .where(eq(shareLinks.slug, slug))
    .get();
  if (!found || (found.link.sessionId !== null && !found.session)) return null;
  const { plan, runningMs: ran, ...shared } = found;
  return { ...shared, isBlockedOnBilling: isOverAllowance(plan, ran) };
}

export interface VisitedTarget extends PreviewTarget {
  isBlockedOnBilling: boolean;
}

/** What an opened preview of a session belongs to; null when there is no such session any more. */
export async function findVisitedTarget(database: D1Database, sessionId: string): Promise<VisitedTarget | null> {
  const runningMs = sql.raw(runningMsThisMonth("workspaces.id")).mapWith(Number);
  const found = await openD1(database)
    .select({ project: projects, session: sessions, plan: workspaces.plan, runningMs })
    .from(sessions)
    .innerJoin(projects, eq(projects.id, sessions.projectId))
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .where(eq(sessions.id, sessionId))
    .get();
  if (!found) return null;
  const { plan, runningMs: ran, ...target } = found;
  return { ...target, isBlockedOnBilling: isOverAllowance(plan, ran) };
}

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
