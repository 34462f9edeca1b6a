// Previews: what a preview belongs to, found by project and session or by the slug of its public link.
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { lastViewedAccuracyMs } from "../../rules/limits.ts";
import { isAtSandboxLimit, isOverAllowance, type PlanName, plans } from "../../rules/workspace/plan.ts";
import { openD1 } from "../database.ts";
import { workspaces } from "../tables/people.ts";
import { projects } from "../tables/projects.ts";
import { type SlotState, shareLinks } from "../tables/sandboxes.ts";
import { sessions } from "../tables/sessions.ts";
import type { Project } from "./projects.ts";
import { runningMsThisMonth } from "./running-time.ts";

/** What the workspace's plan lets a preview do now (Part 1, "Preview rules", 1). */
export interface PreviewLeave {
  /** The workspace has used up what its plan allows it to run this month. */
  isBlockedOnBilling: boolean;
  /** To wake its sandbox takes a slot of a plan that has only so many. The main sandbox takes none. */
  takesSlot: boolean;
  /** Of these, none is left. */
  isAtSandboxLimit: boolean;
}

export interface PreviewTarget extends PreviewLeave {
  project: Project;
  /** Null for the project's main preview. */
  session: typeof sessions.$inferSelect | null;
}

/** What the leave is judged by, of a workspace and a session that a statement joins. */
const plan = {
  name: workspaces.plan,
  runningMs: sql.raw(runningMsThisMonth("workspaces.id")).mapWith(Number),
  slotsTaken: sql.raw("(SELECT count(*) FROM sandbox_slots l WHERE l.workspace_id = workspaces.id)").mapWith(Number),
  slot: sql<SlotState | null>`(SELECT l.state FROM sandbox_slots l WHERE l.sandbox_key = ${sessions.sandboxKey})`,
};

interface PlanFound {
  name: PlanName;
  runningMs: number;
  slotsTaken: number;
  slot: SlotState | null;
}

function leaveOf({ name, runningMs, slotsTaken, slot }: PlanFound, session: object | null): PreviewLeave {
  const isUp = slot === "starting" || slot === "running";
  const takesSlot = session !== null && !isUp && plans[name].maxConcurrentSandboxes !== null;
  return {
    isBlockedOnBilling: isOverAllowance(name, runningMs),
    takesSlot,
    // A slot that is claimed for a start is its own.
    isAtSandboxLimit: takesSlot && isAtSandboxLimit(name, slotsTaken - (slot === null ? 0 : 1)),
  };
}

export type ShareLink = typeof shareLinks.$inferSelect;

/** What a preview of a project, or of one of its sessions, belongs to. Null when there is no such session in the project. */
export async function findPreviewTarget(
  database: D1Database,
  projectId: string,
  sessionId: string | null,
): Promise<PreviewTarget | null> {
  const found = await openD1(database)
    .select({ project: projects, session: sessions, plan })
    .from(projects)
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .leftJoin(sessions, and(eq(sessions.projectId, projects.id), eq(sessions.id, sessionId ?? "")))
    .where(eq(projects.id, projectId))
    .get();
  if (!found || (sessionId !== null && !found.session)) return null;
  const { project, session } = found;
  return { project, session, ...leaveOf(found.plan, session) };
}

export interface SharedTarget extends PreviewTarget {
  link: ShareLink;
}

/** What a public link shows. Null for an unknown or revoked slug. */
export async function findSharedTarget(database: D1Database, slug: string): Promise<SharedTarget | null> {
  const found = await openD1(database)
    .select({ link: shareLinks, project: projects, session: sessions, plan })
    .from(shareLinks)
    .innerJoin(projects, eq(projects.id, shareLinks.projectId))
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .leftJoin(sessions, eq(sessions.id, shareLinks.sessionId))
    .where(eq(shareLinks.slug, slug))
    .get();
  if (!found || (found.link.sessionId !== null && !found.session)) return null;
  const { link, project, session } = found;
  return { link, project, session, ...leaveOf(found.plan, session) };
}

/** What an opened preview of a session belongs to; null when there is no such session any more. */
export async function findVisitedTarget(database: D1Database, sessionId: string): Promise<PreviewTarget | null> {
  const found = await openD1(database)
    .select({ project: projects, session: sessions, plan })
    .from(sessions)
    .innerJoin(projects, eq(projects.id, sessions.projectId))
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .where(eq(sessions.id, sessionId))
    .get();
  if (!found) return null;
  const { project, session } = found;
  return { project, session, ...leaveOf(found.plan, session) };
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
