// Lists of sessions: one page of the sessions that match a filter, newest first, from the index.
import { and, count, desc, eq, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Reach } from "../../access/rules/reachable-workspaces.ts";
import { users } from "../../account/tables.ts";
import { deletions } from "../../deletion/tables.ts";
import { projects } from "../../project/tables.ts";
import { isIn, toDrizzle } from "../../storage/database.ts";
import { members, workspaces } from "../../workspace/tables.ts";
import {
  type AssigneeFilter,
  type FilterFacts,
  type SessionFilter,
  type SessionOrder,
  type SessionRef,
  toSearchable,
} from "../rules/filter.ts";
import type { MetadataFilter } from "../rules/metadata.ts";
import { priorities } from "../rules/session.ts";
import type { SessionSummary } from "../rules/summary.ts";
import { sessionSeen, sessions } from "../tables.ts";

export interface SessionListQuery {
  reach: Reach;
  /** The project of the list, after its access check; null for a list across projects. */
  projectId: string | null;
  /** The person whose marks the list shows; null for a caller that is not one. */
  readerId?: string | null;
  filter: SessionFilter;
  /** The newest first by default. */
  order?: SessionOrder;
  page: number;
  pageSize: number;
}

export interface SessionList {
  /** The facts that decide whether the caller may see the list. */
  facts: FilterFacts;
  summaries: SessionSummary[];
  /** The marks of the reader, one for each summary. */
  seenMarks: (number | null)[];
  total: number;
}

/** The columns of a list. Search columns are long, and no list shows them. */
const listed = {
  id: sessions.id,
  workspaceId: sessions.workspaceId,
  projectId: sessions.projectId,
  title: sessions.title,
  titleSource: sessions.titleSource,
  prompt: sessions.prompt,
  isPromptCut: sessions.isPromptCut,
  status: sessions.status,
  priority: sessions.priority,
  model: sessions.model,
  spendLimitUsd: sessions.spendLimitUsd,
  branch: sessions.branch,
  targetBranch: sessions.targetBranch,
  metadata: sessions.metadata,
  sandboxKey: sessions.sandboxKey,
  createdBy: sessions.createdBy,
  filedBy: sessions.filedBy,
  prUrl: sessions.prUrl,
  prNumber: sessions.prNumber,
  prState: sessions.prState,
  prBase: sessions.prBase,
  isBehind: sessions.isBehind,
  needsYouSince: sessions.needsYouSince,
  createdAt: sessions.createdAt,
  updatedAt: sessions.updatedAt,
  startedAt: sessions.startedAt,
  endedAt: sessions.endedAt,
  assigneeKind: sessions.assigneeKind,
  assigneeId: sessions.assigneeId,
  turnId: sessions.turnId,
  turnNumber: sessions.turnNumber,
  turnStatus: sessions.turnStatus,
  queueCount: sessions.queueCount,
  pauseReason: sessions.pauseReason,
  pausedAt: sessions.pausedAt,
  needsYou: sessions.needsYou,
};
type ListedRow = Pick<typeof sessions.$inferSelect, keyof typeof listed>;

/** Reads one page, the total and the facts for access, in one round trip. */
export async function listSessions(database: D1Database, query: SessionListQuery): Promise<SessionList> {
  const { reach, filter, page, pageSize } = query;
  const db = toDrizzle(database);
  const joined = db
    .select({ workspaceId: members.workspaceId })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.suspendedAt)))
    .where(eq(members.userId, reach.kind === "memberships" ? reach.userId : ""));
  const wanted = and(getScope(query, joined), ...listConditions(filter));
  const newestFirst = [...leadingOrder(query.order), desc(sessions.createdAt), desc(sessions.id)];
  // The ids of the page are sorted first: sorting whole rows would read every prompt.
  const idsOfPage = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(wanted)
    .orderBy(...newestFirst)
    .limit(pageSize)
    .offset((page - 1) * pageSize);
  const [workspacesNamed, projectsNamed, memberships, counted, rows] = await db.batch([
    db.select({ id: workspaces.id }).from(workspaces).where(isIn(workspaces.id, filter.workspaceIds)),
    db
      .select({ id: projects.id, workspaceId: projects.workspaceId })
      .from(projects)
      .where(isIn(projects.id, filter.projectIds)),
    joined,
    db.select({ total: count() }).from(sessions).where(wanted),
    db
      .select({ row: listed, assignee: { name: users.name, imageUrl: users.imageUrl }, mark: sessionSeen.since })
      .from(sessions)
      .leftJoin(sessionSeen, and(eq(sessionSeen.sessionId, sessions.id), eq(sessionSeen.userId, query.readerId ?? "")))
      .leftJoin(users, eq(users.id, sessions.assigneeId))
      .where(inArray(sessions.id, idsOfPage))
      .orderBy(...newestFirst),
  ]);
  return {
    facts: {
      workspaceIds: workspacesNamed.map(({ id }) => id),
      projects: projectsNamed,
      reached: reach.kind === "workspace" ? [reach.workspaceId] : memberships.map(({ workspaceId }) => workspaceId),
      reachedProject: findOnlyProject(reach),
    },
    summaries: rows.map(({ row, assignee }) => toRowSummary(row, assignee)),
    seenMarks: rows.map(({ mark }) => mark),
    total: counted[0]?.total ?? 0,
  };
}

const findOnlyProject = (reach: Reach) => (reach.kind === "workspace" ? (reach.projectId ?? null) : null);

/**
 * The most selective condition, whose index gives the order. The facts for access are checked
 * separately.
 */
function getScope({ reach, projectId, filter }: SessionListQuery, joined: SQL | { getSQL(): SQL }): SQL | undefined {
  const ownProject = findOnlyProject(reach);
  const named = [
    ownProject === null ? undefined : eq(sessions.projectId, ownProject),
    projectId === null ? undefined : eq(sessions.projectId, projectId),
    getOneOfSql(sessions.projectId, filter.projectIds),
    getOneOfSql(sessions.workspaceId, filter.workspaceIds),
  ];
  if (named.some((scope) => scope !== undefined)) return and(...named, isOfProject);
  const isReached =
    reach.kind === "workspace"
      ? eq(sessions.workspaceId, reach.workspaceId)
      : sql`${sessions.workspaceId} IN ${joined}`;
  return and(isReached, isOfProject);
}

/**
 * False for sessions of a deleted project, which are deleted one by one. NOT EXISTS comes first,
 * because NOT IN reads every session's row.
 */
const deleted = sql`(SELECT ${deletions.id} FROM ${deletions} WHERE ${deletions.type} = 'project')`;
const isOfProject = sql`(NOT EXISTS ${deleted} OR ${sessions.projectId} NOT IN ${deleted})`;

/** Undefined for an empty list, which means no condition. */
function getOneOfSql(column: SQLiteColumn, ids: readonly string[]): SQL | undefined {
  return ids.length > 0 ? isIn(column, ids) : undefined;
}

function listConditions({
  statuses,
  assignee,
  search,
  needsYou,
  turnStatuses = [],
  ref = null,
  metadata = [],
}: SessionFilter): (SQL | undefined)[] {
  const part = toSearchable(search);
  return [
    getOneOfSql(sessions.status, statuses),
    assignee === null ? undefined : assignedTo(assignee),
    part === ""
      ? undefined
      : or(sql`instr(${sessions.searchTitle}, ${part}) > 0`, sql`instr(${sessions.searchPrompt}, ${part}) > 0`),
    needsYou ? isNotNull(sessions.needsYou) : undefined,
    getOneOfSql(sessions.turnStatus, turnStatuses),
    ref === null ? undefined : namedBy(ref),
    ...metadata.map(withValue),
  ];
}

function leadingOrder(order: SessionOrder = "created"): SQL[] {
  if (order === "created") return [];
  if (order === "updated") return [desc(sessions.updatedAt)];
  const ranks = priorities.map((priority, rank) => sql`WHEN ${priority} THEN ${rank}`);
  return [sql`CASE ${sessions.priority} ${sql.join(ranks, sql` `)} END DESC`];
}

function namedBy(ref: SessionRef): SQL | undefined {
  if (ref.type === "pull-request") return eq(sessions.prNumber, ref.number);
  const { name, idEnd } = ref;
  const endsSo = idEnd === null ? undefined : sql`substr(${sessions.id}, ${-idEnd.length}) = ${idEnd}`;
  return or(eq(sessions.id, name), eq(sessions.branch, name), endsSo);
}

const withValue = ({ key, value }: MetadataFilter): SQL =>
  sql`${sessions.id} IN (SELECT session_id FROM session_metadata WHERE key = ${key} AND value = ${value})`;

function assignedTo(assignee: AssigneeFilter): SQL {
  switch (assignee.kind) {
    case "member":
      return eq(sessions.assigneeId, assignee.userId);
    case "service":
      return eq(sessions.assigneeKind, "service");
    case "none":
      return isNull(sessions.assigneeKind);
  }
}

function toRowSummary(row: ListedRow, member: { name: string; imageUrl: string | null } | null): SessionSummary {
  const { assigneeKind, assigneeId, turnId, turnNumber, turnStatus, queueCount, pauseReason, pausedAt, ...rest } = row;
  const { needsYou, ...session } = rest;
  const isTurnKnown = turnId !== null && turnNumber !== null && turnStatus !== null;
  return {
    session: { ...session, assignee: toAssignee(assigneeKind, assigneeId, member) },
    turn: isTurnKnown ? { id: turnId, number: turnNumber, status: turnStatus } : null,
    waiting: queueCount,
    pause: pauseReason === null || pausedAt === null ? null : { reason: pauseReason, pausedAt },
    needsYou,
  };
}

function toAssignee(
  kind: "member" | "service" | null,
  userId: string | null,
  member: { name: string; imageUrl: string | null } | null,
): SessionSummary["session"]["assignee"] {
  if (kind === "service") return { kind };
  return kind === "member" && userId !== null && member !== null ? { kind, userId, ...member } : null;
}
