// The saved skills of people and workspaces. One statement decides each change, so that even under
// concurrent requests each name occurs once per owner. A body that no row names any longer is left
// to the sweep, because a turn that has just received it may still fetch it.
import { and, asc, eq, exists, or, type SQL, sql } from "drizzle-orm";
import { skillsMax, unconfirmedObjectMs } from "../rules/limits.ts";
import { toDrizzle } from "../storage/database.ts";
import { members } from "../workspace/tables.ts";
import type { SkillOwner } from "./rules/custom-skill.ts";
import { skills } from "./tables.ts";

export type SkillRow = typeof skills.$inferSelect;

/** The columns that depend on the files of a skill. */
export type SkillVersion = Pick<SkillRow, "name" | "description" | "argumentHint" | "fileCount" | "hash" | "bodyKey">;

const ownedBy = ({ type, id }: SkillOwner) => and(eq(skills.ownerType, type), eq(skills.ownerId, id));

/** The skills of a workspace, by name. */
export function listWorkspaceSkills(database: D1Database, workspaceId: string): Promise<SkillRow[]> {
  return toDrizzle(database)
    .select()
    .from(skills)
    .where(ownedBy({ type: "workspace", id: workspaceId }))
    .orderBy(asc(skills.name))
    .all();
}

export interface PersonalSkillRow extends SkillRow {
  /** The workspaces whose enabled skill of the same name it replaces; none while it is disabled. */
  replaces: { workspaceId: string; workspaceName: string }[];
}

// The columns are written out, because Drizzle does not qualify those of a single table.
const replacedBy = (onlyId: string | null) => sql<string>`(
  SELECT json_group_array(json_object('workspaceId', id, 'workspaceName', name)) FROM (
    SELECT w.id, w.name FROM members m JOIN workspaces w ON w.id = m.workspace_id
    JOIN skills o ON o.owner_type = 'workspace' AND o.owner_id = w.id AND o.name = skills.name AND o.enabled = 1
    WHERE m.user_id = skills.owner_id AND skills.enabled = 1 AND (${onlyId} IS NULL OR w.id = ${onlyId})
    ORDER BY w.name, w.id))`;

/**
 * The personal skills of a user, by name, or only the one with this id. With `onlyWorkspaceId`,
 * `replaces` lists only this workspace.
 */
export async function listPersonalSkills(
  database: D1Database,
  userId: string,
  { id, onlyWorkspaceId }: { id?: string; onlyWorkspaceId: string | null },
): Promise<PersonalSkillRow[]> {
  const found = await toDrizzle(database)
    .select({ skill: skills, replaces: replacedBy(onlyWorkspaceId) })
    .from(skills)
    .where(and(ownedBy({ type: "member", id: userId }), id === undefined ? undefined : eq(skills.id, id)))
    .orderBy(asc(skills.name))
    .all();
  return found.map(({ skill, replaces }) => ({ ...skill, replaces: JSON.parse(replaces) }));
}

/** A skill of an owner; null if they have none with this id. */
export async function findSkill(database: D1Database, owner: SkillOwner, id: string): Promise<SkillRow | null> {
  const found = await toDrizzle(database)
    .select()
    .from(skills)
    .where(and(ownedBy(owner), eq(skills.id, id)))
    .get();
  return found ?? null;
}

/** A skill as a session sees it. */
export type EnabledSkill = Pick<SkillRow, "name" | "description" | "argumentHint" | "hash" | "bodyKey" | "ownerType">;

/**
 * The query of the enabled skills of a workspace, and of a person while they are a member of it,
 * by name. `memberId` is a user id or a subquery; null for nobody.
 */
export function listEnabledSkills(database: D1Database, workspaceId: string, memberId: string | SQL | null) {
  const db = toDrizzle(database);
  const { name, description, argumentHint, hash, bodyKey, ownerType, ownerId } = skills;
  const isMember = exists(
    db
      .select({ userId: members.userId })
      .from(members)
      .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, ownerId))),
  );
  const personal =
    memberId === null ? undefined : and(eq(ownerType, "member"), sql`${ownerId} = ${memberId}`, isMember);
  return (
    db
      .select({ name, description, argumentHint, hash, bodyKey, ownerType })
      .from(skills)
      .where(and(eq(skills.enabled, true), or(ownedBy({ type: "workspace", id: workspaceId }), personal)))
      // Of one name, in an order that does not change.
      .orderBy(asc(name), asc(ownerType))
  );
}

/** The enabled skills of a session: its workspace's, and its Assignee's. */
export function listSessionSkills(
  database: D1Database,
  workspaceId: string,
  sessionId: string,
): Promise<EnabledSkill[]> {
  const assignee = sql`(SELECT s.assignee_id FROM sessions s WHERE s.id = ${sessionId} AND s.assignee_kind = 'member')`;
  return listEnabledSkills(database, workspaceId, assignee).all();
}

export interface NewSkill extends SkillVersion {
  id: string;
  owner: SkillOwner;
  enabled: boolean;
}

/** Adds a skill whose body is stored. `full`: the owner already has `skillsMax`, or is deleted. */
export async function addSkill(
  database: D1Database,
  { id, owner, name, description, argumentHint, enabled, fileCount, hash, bodyKey }: NewSkill,
  now: number,
): Promise<"added" | "taken" | "full"> {
  const [added, , named] = await database.batch<{ id: string }>([
    database
      .prepare(
        `INSERT INTO skills (id, owner_type, owner_id, name, description, argument_hint, enabled, file_count, hash, body_key, created_at, updated_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11
         WHERE (SELECT count(*) FROM skills WHERE owner_type = ?2 AND owner_id = ?3) < ?12
           AND (?2 = 'member' OR EXISTS (SELECT 1 FROM workspaces WHERE id = ?3))
         ON CONFLICT (owner_type, owner_id, name) DO NOTHING RETURNING id`,
      )
      .bind(
        ...[id, owner.type, owner.id, name, description, argumentHint, enabled ? 1 : 0, fileCount, hash, bodyKey],
        ...[now, skillsMax],
      ),
    deleteNamed(database, id),
    database
      .prepare("SELECT id FROM skills WHERE owner_type = ?1 AND owner_id = ?2 AND name = ?3")
      .bind(owner.type, owner.id, name),
  ]);
  if (added && added.results.length > 0) return "added";
  return named && named.results.length > 0 ? "taken" : "full";
}

/** Enables or disables a skill, or replaces its files, whose body is stored, or both. */
export async function updateSkillRow(
  database: D1Database,
  owner: SkillOwner,
  { id, enabled, version }: { id: string; enabled: boolean | null; version: SkillVersion | null },
  now: number,
): Promise<"changed" | "taken" | "unknown"> {
  const [, changed, , found] = await database.batch<{ id: string }>([
    version === null ? nothing(database) : recordNamed(database, owner, id, now),
    database
      .prepare(
        `UPDATE skills SET enabled = coalesce(?4, enabled), name = coalesce(?5, name), description = coalesce(?6, description),
           argument_hint = iif(?5 IS NULL, argument_hint, ?7), file_count = coalesce(?8, file_count), hash = coalesce(?9, hash),
           body_key = coalesce(?10, body_key), updated_at = ?11
         WHERE id = ?1 AND owner_type = ?2 AND owner_id = ?3
           AND NOT EXISTS (SELECT 1 FROM skills o WHERE o.owner_type = ?2 AND o.owner_id = ?3 AND o.name = ?5 AND o.id <> ?1)
         RETURNING id`,
      )
      .bind(
        ...[id, owner.type, owner.id, enabled === null ? null : enabled ? 1 : 0],
        ...[version?.name ?? null, version?.description ?? null, version?.argumentHint ?? null],
        ...[version?.fileCount ?? null, version?.hash ?? null, version?.bodyKey ?? null, now],
      ),
    deleteNamed(database, id),
    database
      .prepare("SELECT id FROM skills WHERE id = ?1 AND owner_type = ?2 AND owner_id = ?3")
      .bind(id, owner.type, owner.id),
  ]);
  if (changed && changed.results.length > 0) return "changed";
  return found && found.results.length > 0 ? "taken" : "unknown";
}

/** Deletes a skill. False if the owner has none with this id. */
export async function deleteSkill(database: D1Database, owner: SkillOwner, id: string, now: number): Promise<boolean> {
  const [, deleted] = await database.batch<{ id: string }>([
    recordNamed(database, owner, id, now),
    database
      .prepare("DELETE FROM skills WHERE id = ?1 AND owner_type = ?2 AND owner_id = ?3 RETURNING id")
      .bind(id, owner.type, owner.id),
  ]);
  return deleted !== undefined && deleted.results.length > 0;
}

/** Records the body that a row is about to release. */
function recordNamed(database: D1Database, { type, id: ownerId }: SkillOwner, id: string, now: number) {
  return database
    .prepare(
      `INSERT OR REPLACE INTO objects_in_doubt (key, due_at)
       SELECT body_key, ?4 FROM skills WHERE id = ?1 AND owner_type = ?2 AND owner_id = ?3`,
    )
    .bind(id, type, ownerId, now + unconfirmedObjectMs);
}

/** The body that a row now names stays. */
function deleteNamed(database: D1Database, id: string) {
  return database
    .prepare("DELETE FROM objects_in_doubt WHERE key = (SELECT body_key FROM skills WHERE id = ?1)")
    .bind(id);
}

const nothing = (database: D1Database) => database.prepare("SELECT 1 WHERE 0");
