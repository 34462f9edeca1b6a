// Members of a workspace. Each change is one statement or batch, which checks the rules again:
// concurrent changes cannot leave a workspace without an owner, or with two.
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Role } from "../../access/rules/membership.ts";
import { users } from "../../account/tables.ts";
import type { RecordedEvent } from "../../activity/rules/activity.ts";
import { ownedWorkspacesMax } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import { recordMemberEvent } from "../../webhook/queries.ts";
import type { GrantedRole } from "../rules/member.ts";
import { members } from "../tables.ts";
import { getOwnedCountSql } from "./workspaces.ts";

const memberColumns = {
  userId: users.id,
  name: users.name,
  email: users.email,
  imageUrl: users.imageUrl,
  role: members.role,
  joinedAt: members.joinedAt,
};

export interface Member {
  userId: string;
  name: string;
  email: string;
  imageUrl: string | null;
  role: Role;
  joinedAt: number;
}

/** The members of a workspace, ordered by name. */
export function listMembers(database: D1Database, workspaceId: string): Promise<Member[]> {
  return toDrizzle(database)
    .select(memberColumns)
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.workspaceId, workspaceId))
    .orderBy(asc(users.name), asc(users.id))
    .all();
}

/** The ids of the owner and the admins of a workspace. */
export async function listAdmins(database: D1Database, workspaceId: string): Promise<string[]> {
  const isAdmin = and(eq(members.workspaceId, workspaceId), inArray(members.role, ["owner", "admin"]));
  const rows = await toDrizzle(database)
    .select({ userId: members.userId })
    .from(members)
    .where(isAdmin)
    .orderBy(asc(members.userId))
    .all();
  return rows.map(({ userId }) => userId);
}

/** A member of a workspace; null if the user is not a member. */
export async function findMember(database: D1Database, workspaceId: string, userId: string): Promise<Member | null> {
  const found = await toDrizzle(database)
    .select(memberColumns)
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)))
    .get();
  return found ?? null;
}

/** A change of one member by another. */
export interface MemberChange {
  workspaceId: string;
  /** The member who is changed. */
  userId: string;
  /** The member who changes them. */
  byUserId: string;
  /** Recorded with the change. */
  event: RecordedEvent | null;
}

/** An SQL condition: `?3` is an admin or the owner of the workspace `?1`. */
const byAdmin =
  "EXISTS (SELECT 1 FROM members a WHERE a.workspace_id = ?1 AND a.user_id = ?3 AND a.role IN ('owner', 'admin'))";

/** Ends the invitations of a member `?2` who is no admin of the workspace `?1`. */
const endInvitations = `DELETE FROM invitations WHERE workspace_id = ?1 AND created_by = ?2 AND NOT EXISTS
  (SELECT 1 FROM members m WHERE m.workspace_id = ?1 AND m.user_id = ?2 AND m.role IN ('owner', 'admin'))`;

/**
 * Changes the role of a member who is not the owner. The invitations of one who is no longer an
 * admin end. False if the rules no longer allow it, or their role is no longer `from`.
 */
export function saveRole(
  database: D1Database,
  change: MemberChange,
  { from, to }: { from: Role; to: GrantedRole },
): Promise<boolean> {
  const { workspaceId, userId, byUserId } = change;
  const update = database
    .prepare(
      `UPDATE members SET role = ?5
       WHERE workspace_id = ?1 AND user_id = ?2 AND role = ?4 AND role <> 'owner' AND user_id <> ?3 AND ${byAdmin} RETURNING user_id`,
    )
    .bind(workspaceId, userId, byUserId, from, to);
  return changed(database, change, [update], [database.prepare(endInvitations).bind(workspaceId, userId)]);
}

/**
 * The SQL that ends those of the share links `l` that match and that comments show. Each comment
 * gets a link in the name of who saves the triggers next, because its slug is empty then.
 */
export const listLinkEndings = (which: string, condition: string): string[] => [
  `UPDATE trigger_answers SET slug = ''
   WHERE (session_id, slug) IN (SELECT l.session_id, l.slug FROM share_links l WHERE ${which}) AND ${condition}`,
  `DELETE FROM share_links AS l WHERE ${which} AND ${condition}
     AND EXISTS (SELECT 1 FROM trigger_answers a WHERE a.session_id = l.session_id AND a.slug = '')`,
];

/**
 * Removes a member who is not the owner; every member may remove themselves. The agents that they
 * connected to the workspace end, and so do their invitations and the public links that triggers
 * made in their name. False if the rules no longer allow it.
 */
export function removeMember(database: D1Database, change: MemberChange): Promise<boolean> {
  const { workspaceId, userId, byUserId } = change;
  const removal = database
    .prepare(
      `DELETE FROM members
       WHERE workspace_id = ?1 AND user_id = ?2 AND role <> 'owner' AND (user_id = ?3 OR ${byAdmin}) RETURNING user_id`,
    )
    .bind(workspaceId, userId, byUserId);
  const isGone = "NOT EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = ?1 AND m.user_id = ?2)";
  const ofMember = "l.created_by = ?2 AND l.project_id IN (SELECT id FROM projects WHERE workspace_id = ?1)";
  const endings = [
    endInvitations,
    `DELETE FROM keys WHERE kind = 'client' AND workspace_id = ?1 AND user_id = ?2 AND ${isGone}`,
    ...listLinkEndings(ofMember, isGone),
  ];
  const after = endings.map((ending) => database.prepare(ending).bind(workspaceId, userId));
  return changed(database, change, [removal], after);
}

/**
 * Makes another member the owner, and the owner an admin. False if one of their roles has changed
 * meanwhile, or the member owns the maximum number of workspaces.
 */
export function transferOwnership(database: D1Database, change: MemberChange): Promise<boolean> {
  const { workspaceId, userId, byUserId } = change;
  return changed(database, change, [
    database
      .prepare(
        `UPDATE members SET role = 'admin'
         WHERE workspace_id = ?1 AND user_id = ?3 AND role = 'owner' AND user_id <> ?2
           AND EXISTS (SELECT 1 FROM members n WHERE n.workspace_id = ?1 AND n.user_id = ?2)
           AND ${getOwnedCountSql("?2")} < ${ownedWorkspacesMax} RETURNING user_id`,
      )
      .bind(workspaceId, userId, byUserId),
    // The workspace has no owner only if the previous statement changed its row.
    database
      .prepare(
        `UPDATE members SET role = 'owner' WHERE workspace_id = ?1 AND user_id = ?2
           AND NOT EXISTS (SELECT 1 FROM members o WHERE o.workspace_id = ?1 AND o.role = 'owner')`,
      )
      .bind(workspaceId, userId),
  ]);
}

/**
 * Makes a change and records its event, in one transaction. True if the first statement changed a
 * row.
 */
async function changed(
  database: D1Database,
  { event }: MemberChange,
  statements: D1PreparedStatement[],
  after: D1PreparedStatement[] = [],
): Promise<boolean> {
  // The event is recorded if the statement right before it changed a row.
  const [first] = await database.batch([...statements, ...(event ? recordMemberEvent(database, event) : []), ...after]);
  return first !== undefined && first.results.length > 0;
}

/** The id of the member who connected an account at the code host; null without one. */
export async function findMemberOfAccount(
  database: D1Database,
  workspaceId: string,
  hostUserId: string,
): Promise<string | null> {
  const found = database.prepare(
    `SELECT u.id FROM code_host_identities i JOIN users u ON u.id = i.user_id AND u.suspended_at IS NULL
       JOIN members m ON m.user_id = i.user_id AND m.workspace_id = ?1
     WHERE i.host_user_id = ?2`,
  );
  return await found.bind(workspaceId, hostUserId).first<string>("id");
}
