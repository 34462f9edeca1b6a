// The project and session of a preview, found by their ids or by the slug of a public link.
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Project } from "../../project/queries.ts";
import { projects } from "../../project/tables.ts";
import { getOwnerSlotsSql, getWorkspaceSlotsSql } from "../../sandbox/queries/limits.ts";
import { getRunningMsSql } from "../../sandbox/queries/slots.ts";
import type { SlotState } from "../../sandbox/tables.ts";
import { sessions } from "../../session/tables.ts";
import { toDrizzle } from "../../storage/database.ts";
import { workspaces } from "../../workspace/tables.ts";
import { getPreviewAllowance, type PlanUsage, type PreviewAllowance } from "../rules/preview.ts";
import { shareLinks } from "../tables.ts";
import type { ShareLink } from "./share-links.ts";

export interface PreviewTarget extends PreviewAllowance {
  project: Project;
  /** Null for the project's main preview. */
  session: typeof sessions.$inferSelect | null;
  /** The session's sandbox does not run, and a spare of the project is ready. */
  mayTakeSpare: boolean;
}

/**
 * The usage of a workspace's plan, as columns of a statement that joins workspaces and sessions.
 */
const usage = {
  plan: workspaces.plan,
  runningMsThisMonth: sql.raw(getRunningMsSql("workspaces.id")).mapWith(Number),
  slotsTaken: sql.raw(getWorkspaceSlotsSql("workspaces.id")).mapWith(Number),
  slotsOfOwner: sql.raw(getOwnerSlotsSql("workspaces.id")).mapWith(Number),
  hasSpare:
    sql<boolean>`EXISTS (SELECT 1 FROM sandbox_spares x WHERE x.project_id = ${projects.id} AND x.state = 'ready')`.mapWith(
      Boolean,
    ),
  slot: sql<SlotState | null>`(SELECT l.state FROM sandbox_slots l WHERE l.sandbox_key = ${sessions.sandboxKey})`,
};

/**
 * Finds the preview of a project, or of one of its sessions. Null if the project has no such
 * session.
 */
export async function findPreviewTarget(
  database: D1Database,
  projectId: string,
  sessionId: string | null,
): Promise<PreviewTarget | null> {
  const found = await toDrizzle(database)
    .select({ project: projects, session: sessions, usage })
    .from(projects)
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .leftJoin(sessions, and(eq(sessions.projectId, projects.id), eq(sessions.id, sessionId ?? "")))
    .where(eq(projects.id, projectId))
    .get();
  if (!found || (sessionId !== null && !found.session)) return null;
  const { project, session } = found;
  return { project, session, ...getAllowance(found.usage, session) };
}

function getAllowance(
  found: PlanUsage & { hasSpare: boolean },
  session: PreviewTarget["session"],
): PreviewAllowance & Pick<PreviewTarget, "mayTakeSpare"> {
  const mayTakeSpare = session !== null && found.slot === null && found.hasSpare;
  return { ...getPreviewAllowance(found, session !== null), mayTakeSpare };
}

export interface SharedTarget extends PreviewTarget {
  link: ShareLink;
}

/**
 * Finds the preview of a public link. Null for an unknown or revoked slug, and while the workspace
 * is suspended.
 */
export async function findSharedTarget(database: D1Database, slug: string): Promise<SharedTarget | null> {
  const found = await toDrizzle(database)
    .select({ link: shareLinks, project: projects, session: sessions, usage })
    .from(shareLinks)
    .innerJoin(projects, eq(projects.id, shareLinks.projectId))
    .innerJoin(workspaces, eq(workspaces.id, projects.workspaceId))
    .leftJoin(sessions, eq(sessions.id, shareLinks.sessionId))
    .where(and(eq(shareLinks.slug, slug), isNull(workspaces.suspendedAt)))
    .get();
  if (!found || (found.link.sessionId !== null && !found.session)) return null;
  const { link, project, session } = found;
  return { link, project, session, ...getAllowance(found.usage, session) };
}

/**
 * Finds the preview that a sandbox serves. Null if it serves none, because its session was deleted
 * or another main sandbox went live.
 */
export async function findVisitedTarget(database: D1Database, sandboxKey: string): Promise<PreviewTarget | null> {
  const owner = await findPreviewOwner(database, sandboxKey);
  return owner && (await findPreviewTarget(database, owner.projectId, owner.sessionId));
}

/** The project and the session whose preview a sandbox serves; null if it serves none. */
export async function findPreviewOwner(
  database: D1Database,
  sandboxKey: string,
): Promise<{ projectId: string; sessionId: string | null } | null> {
  const db = toDrizzle(database);
  const [[session], [project]] = await db.batch([
    db
      .select({ projectId: sessions.projectId, sessionId: sessions.id })
      .from(sessions)
      .where(eq(sessions.sandboxKey, sandboxKey)),
    db.select({ projectId: projects.id }).from(projects).where(eq(projects.mainSandboxKey, sandboxKey)),
  ]);
  return session ?? (project ? { ...project, sessionId: null } : null);
}
