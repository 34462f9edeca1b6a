// Invitations to workspaces. Of concurrent changes, one succeeds: an email address has one
// invitation, and an invitation is accepted once.
import { and, asc, eq, gt } from "drizzle-orm";
import { recordJoining } from "../../activity/record.ts";
import type { RecordedEvent } from "../../activity/rules/activity.ts";
import { openInvitationsMax } from "../../rules/limits.ts";
import { toDrizzle } from "../../storage/database.ts";
import { recordMemberEvent, saveWebhookEvent } from "../../webhook/queries.ts";
import type { WebhookEvent } from "../../webhook/rules/event.ts";
import type { AcceptFacts, InviteFacts } from "../rules/invitation.ts";
import { invitations } from "../tables.ts";

export type Invitation = typeof invitations.$inferSelect;
export type InvitationName = Pick<Invitation, "id" | "workspaceId">;

/** An SQL condition: a member of the workspace `?1` has the address `?2`. */
const isMembersAddress =
  "EXISTS (SELECT 1 FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = ?1 AND lower(u.email) = ?2)";
/**
 * An SQL expression: the number of open invitations of the workspace `?1` at the time `?3`, without
 * one for the address `?2`.
 */
const otherOpenInvitations =
  "(SELECT count(*) FROM invitations i WHERE i.workspace_id = ?1 AND i.email <> ?2 AND i.expires_at > ?3)";

/**
 * Adds an invitation, and replaces an earlier one of its address. False if the rules no longer
 * allow it, or its sender is no longer an admin.
 */
export async function addInvitation(
  database: D1Database,
  { id, workspaceId, email, role, createdBy, createdAt, expiresAt }: Invitation,
  event: RecordedEvent | null,
): Promise<boolean> {
  const [added] = await database.batch([
    database
      .prepare(
        `INSERT INTO invitations (workspace_id, email, created_at, id, role, expires_at, created_by)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?8
         WHERE NOT ${isMembersAddress} AND ${otherOpenInvitations} < ?7
           AND EXISTS (SELECT 1 FROM members a WHERE a.workspace_id = ?1 AND a.user_id = ?8 AND a.role IN ('owner', 'admin'))
         ON CONFLICT (workspace_id, email) DO UPDATE SET
           id = excluded.id, role = excluded.role, created_at = excluded.created_at, expires_at = excluded.expires_at,
           created_by = excluded.created_by
         RETURNING id`,
      )
      .bind(workspaceId, email, createdAt, id, role, expiresAt, openInvitationsMax, createdBy),
    ...(event ? recordMemberEvent(database, event) : []),
    database
      .prepare("DELETE FROM invitations WHERE workspace_id = ?1 AND expires_at <= ?2")
      .bind(workspaceId, createdAt),
  ]);
  return added !== undefined && added.results.length > 0;
}

/** True if an address has an open invitation to any workspace. */
export async function isInvited(database: D1Database, email: string, now: number): Promise<boolean> {
  const open = database.prepare("SELECT 1 AS found FROM invitations WHERE email = ?1 AND expires_at > ?2 LIMIT 1");
  return (await open.bind(email, now).first("found")) !== null;
}

/** The facts that decide whether an address can be invited. */
export async function readInviteFacts(
  database: D1Database,
  { workspaceId, email }: Pick<Invitation, "workspaceId" | "email">,
  now: number,
): Promise<InviteFacts> {
  const found = await database
    .prepare(`SELECT ${isMembersAddress} AS isMember, ${otherOpenInvitations} AS others`)
    .bind(workspaceId, email, now)
    .first<{ isMember: number; others: number }>();
  return { isMember: found?.isMember === 1, otherOpenInvitations: found?.others ?? 0 };
}

/** The open invitations of a workspace, ordered by address. */
export function listInvitations(database: D1Database, workspaceId: string, now: number): Promise<Invitation[]> {
  return toDrizzle(database)
    .select()
    .from(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), gt(invitations.expiresAt, now)))
    .orderBy(asc(invitations.email))
    .all();
}

/** Deletes an invitation of a workspace. False if it has none with this id. */
export async function deleteInvitation(database: D1Database, { workspaceId, id }: InvitationName): Promise<boolean> {
  const deleted = await toDrizzle(database)
    .delete(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), eq(invitations.id, id)))
    .returning({ id: invitations.id })
    .all();
  return deleted.length > 0;
}

/** An invitation with the facts for the user who may accept it. */
export interface InvitationFound extends AcceptFacts {
  workspaceName: string;
  /** The role that is offered; null if the invitation has ended. */
  role: Invitation["role"] | null;
}

/**
 * Finds an invitation, and whether a user is already a member. Null if the workspace is deleted or
 * suspended.
 */
export async function findInvitation(
  database: D1Database,
  { workspaceId, id }: InvitationName,
  userId: string,
  now: number,
): Promise<InvitationFound | null> {
  const found = await database
    .prepare(
      `SELECT w.name AS workspaceName, i.email AS address, i.role, coalesce(u.email, '') AS email, m.role IS NOT NULL AS isMember
       FROM workspaces w
       LEFT JOIN invitations i ON i.id = ?2 AND i.workspace_id = w.id AND i.expires_at > ?4
       LEFT JOIN users u ON u.id = ?3
       LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = ?3
       WHERE w.id = ?1 AND w.suspended_at IS NULL`,
    )
    .bind(workspaceId, id, userId, now)
    .first<Omit<InvitationFound, "isMember"> & { isMember: number }>();
  return found && { ...found, isMember: found.isMember === 1 };
}

/**
 * Makes a user with the invited address a member, and ends the invitation. False if the rules no
 * longer allow it.
 */
export async function acceptInvitation(
  database: D1Database,
  { workspaceId, id }: InvitationName,
  { userId, joining }: { userId: string; joining: WebhookEvent },
  now: number,
): Promise<boolean> {
  const [joined] = await database.batch([
    database
      .prepare(
        `INSERT INTO members (workspace_id, user_id, role, joined_at)
         SELECT i.workspace_id, u.id, i.role, ?4 FROM invitations i JOIN users u ON u.id = ?3 AND lower(u.email) = i.email
           JOIN workspaces w ON w.id = i.workspace_id AND w.suspended_at IS NULL
         WHERE i.id = ?2 AND i.workspace_id = ?1 AND i.expires_at > ?4
         ON CONFLICT DO NOTHING RETURNING user_id`,
      )
      .bind(workspaceId, id, userId, now),
    recordJoining(database, { workspaceId, userId }),
    saveWebhookEvent(database, joining),
    database
      .prepare(
        `DELETE FROM invitations WHERE workspace_id = ?1 AND id = ?2 AND email = (SELECT lower(email) FROM users WHERE id = ?3)
           AND EXISTS (SELECT 1 FROM members WHERE workspace_id = ?1 AND user_id = ?3)`,
      )
      .bind(workspaceId, id, userId),
  ]);
  return joined !== undefined && joined.results.length > 0;
}
