// Reads everything that an access decision needs in one statement: a key, its user, their role, the
// noun of the path with its parents, and the details that the route needs.

import type { PrototypeRow } from "../artifact/queries.ts";
import type { TurnOwner } from "../chat/rules/chat.ts";
import { type CronFacts, type CronRow, cronAsJson, cronFactsAsJson } from "../cron/queries/crons.ts";
import type { CronRunRow } from "../cron/queries/runs.ts";
import type { ProviderId } from "../model/rules/provider.ts";
import type { Project } from "../project/queries.ts";
import { getMemberModelsSql } from "../provider-login/queries/subscriptions.ts";
import type { MemberModels } from "../provider-login/rules/payer.ts";
import { getRunningMsSql } from "../sandbox/queries/slots.ts";
import type { SlotState } from "../sandbox/tables.ts";
import type { PullRequestState } from "../session/rules/pull-request/state.ts";
import type { SessionStatus } from "../session/rules/status.ts";
import { getSpendSql } from "../usage/queries.ts";
import type { Spend } from "../usage/rules/spend-limit.ts";
import type { Workspace } from "../workspace/queries/workspaces.ts";
import type { PlanName } from "../workspace/rules/billing-plan.ts";
import type { Key } from "./rules/caller.ts";
import type { Role, User } from "./rules/membership.ts";

export interface WorkspaceFound {
  id: string;
  plan: PlanName;
  defaultModel: string | null;
  /** True if models write the titles of sessions that were given none. */
  generatedTitles: boolean;
  /** When an operator suspended it; null for all others. */
  suspendedAt: number | null;
  /** The providers for which the workspace has a working credential. */
  providers: ProviderId[];
}

export interface ProjectFound
  extends Pick<
    Project,
    "id" | "name" | "targetBranch" | "deployStatus" | "isLive" | "holdsSessionsUp" | "mainSandboxKey"
  > {
  /** True if a spare is ready for a new session to claim. */
  hasSpare: boolean;
}

export interface SessionFound {
  id: string;
  title: string;
  status: SessionStatus;
  sandboxKey: string;
  branch: string | null;
  targetBranch: string;
  prState: PullRequestState | null;
  prBase: string | null;
  /** The user id of the Assignee; null if that is the service or nobody. */
  assigneeId: string | null;
  assigneeKind: "member" | "service" | null;
  /** The kind of the sender that filed it; null for a member. */
  filedByKind: string | null;
  /** The cron of the run that filed it; null if none did. */
  filedCronId: string | null;
}

export interface CronFound {
  id: string;
  /** The user id of its creator. */
  createdBy: string;
}

interface Rows {
  workspace: WorkspaceFound;
  cron: CronFound;
  cronRun: CronRunRow;
  project: ProjectFound;
  session: SessionFound;
  prototype: PrototypeRow;
  stream: { id: string; owner: TurnOwner };
}

/**
 * Each row's columns as arguments of json_object, and the column that is null if the join found no
 * row.
 */
const rows: Record<keyof Rows, { id: string; columns: string }> = {
  workspace: {
    id: "w.id",
    columns: `'id', w.id, 'plan', w.plan, 'suspendedAt', w.suspended_at, 'defaultModel', w.default_model,
      'generatedTitles', json(iif(w.generated_titles, 'true', 'false')), 'providers',
      (SELECT json_group_array(l.provider) FROM provider_logins l WHERE l.owner_type = 'workspace' AND l.owner_id = w.id AND l.needs_reauth = 0)`,
  },
  project: {
    id: "p.id",
    columns: `'id', p.id, 'name', p.name, 'targetBranch', p.target_branch, 'deployStatus', p.deploy_status,
      'isLive', json(iif(p.is_live, 'true', 'false')), 'holdsSessionsUp', json(iif(p.holds_sessions_up, 'true', 'false')),
      'mainSandboxKey', p.main_sandbox_key, 'hasSpare',
      json(iif(EXISTS (SELECT 1 FROM sandbox_spares x WHERE x.project_id = p.id AND x.state = 'ready'), 'true', 'false'))`,
  },
  session: {
    id: "s.id",
    columns: `'id', s.id, 'title', s.title, 'status', s.status, 'sandboxKey', s.sandbox_key, 'branch', s.branch,
      'targetBranch', s.target_branch, 'prState', s.pr_state, 'prBase', s.pr_base, 'assigneeId', s.assignee_id,
      'assigneeKind', s.assignee_kind, 'filedByKind', json_extract(s.filed_by, '$.kind'), 'filedCronId', s.filed_cron_id`,
  },
  cron: { id: "c.id", columns: "'id', c.id, 'createdBy', c.created_by" },
  cronRun: {
    id: "r.id",
    columns: `'id', r.id, 'cronId', r.cron_id, 'workspaceId', r.workspace_id, 'projectId', r.project_id, 'projectName', r.project_name,
      'slot', r.slot, 'status', r.status, 'summary', r.summary, 'error', r.error, 'errorCode', r.error_code, 'stopSource', r.stop_source,
      'model', r.model, 'isOpened', json(iif(r.is_opened, 'true', 'false')), 'createdAt', r.created_at, 'startedAt', r.started_at,
      'completedAt', r.completed_at`,
  },
  stream: { id: "j.id", columns: "'id', j.id, 'owner', json_object('type', j.owner_type, 'id', j.owner_id)" },
  prototype: {
    id: "y.id",
    columns: `'id', y.id, 'projectId', y.project_id, 'title', y.title, 'variants', json(y.variants), 'createdBy', y.created_by,
      'createdAt', y.created_at`,
  },
};

interface Noun {
  /** The path parameters that identify it, bound from `?2` on. */
  params: readonly string[];
  /** The joins from the parameters to its row and its parents, including the workspace. */
  joins: string;
  /** The rows that the joins find, from the workspace down to the noun's own. */
  finds: readonly (keyof Rows)[];
  /** The noun's name in the error if no workspace was found. */
  unknown: string;
  /**
   * The noun's name in the error if the workspace was found, but not the noun's row; `unknown` by
   * default.
   */
  missing?: string;
}

const workspaceOfProject = "LEFT JOIN workspaces w ON w.id = p.workspace_id";
const ofProject = `LEFT JOIN projects p ON p.id = ?2 ${workspaceOfProject}`;

const ofCron = "LEFT JOIN workspaces w ON w.id = ?2 LEFT JOIN crons c ON c.id = ?3 AND c.workspace_id = w.id";

/** The nouns that a path can identify. */
const nouns = {
  none: { params: [], joins: "", finds: [], unknown: "" },
  /**
   * The resource is in the body, which is read after the key has been checked. The route itself
   * checks the membership.
   */
  inBody: { params: [], joins: "", finds: [], unknown: "" },
  workspace: {
    params: ["workspaceId"],
    joins: "LEFT JOIN workspaces w ON w.id = ?2",
    finds: ["workspace"],
    unknown: "workspace",
  },
  project: {
    params: ["projectId"],
    joins: ofProject,
    finds: ["workspace", "project"],
    unknown: "project",
  },
  session: {
    params: ["projectId", "sessionId"],
    joins: `${ofProject} LEFT JOIN sessions s ON s.id = ?3 AND s.project_id = p.id`,
    finds: ["workspace", "project", "session"],
    unknown: "project",
    missing: "session in this project",
  },
  /** A session by its id only, with its project. */
  sessionById: {
    params: ["sessionId"],
    joins: `LEFT JOIN sessions s ON s.id = ?2 LEFT JOIN projects p ON p.id = s.project_id ${workspaceOfProject}`,
    finds: ["workspace", "project", "session"],
    unknown: "session",
  },
  /** The stream of a turn, with the project of the turn's owner. */
  stream: {
    params: ["streamId"],
    joins: `LEFT JOIN jobs j ON j.id = ?2 LEFT JOIN sessions s ON j.owner_type = 'session' AND s.id = j.owner_id
      LEFT JOIN projects p ON p.id = iif(j.owner_type = 'project', j.owner_id, s.project_id) ${workspaceOfProject}`,
    finds: ["workspace", "project", "stream"],
    unknown: "stream",
  },
  prototype: {
    params: ["projectId", "prototypeId"],
    joins: `${ofProject} LEFT JOIN prototypes y ON y.id = ?3 AND y.project_id = p.id`,
    finds: ["workspace", "project", "prototype"],
    unknown: "project",
    missing: "Prototype in this project",
  },
  cron: {
    params: ["workspaceId", "cronId"],
    joins: ofCron,
    finds: ["workspace", "cron"],
    unknown: "workspace",
    missing: "cron in this workspace",
  },
  cronRun: {
    params: ["workspaceId", "cronId", "runId"],
    joins: `${ofCron} LEFT JOIN cron_runs r ON r.id = ?4 AND r.cron_id = c.id`,
    finds: ["workspace", "cron", "cronRun"],
    unknown: "workspace",
    missing: "run of this cron",
  },
} as const satisfies Record<string, Noun>;

export type NounKind = keyof typeof nouns;

/** The details that a route can request. */
export interface Details {
  /** The running time of the workspace's sandboxes this month, which its plan limits. */
  runningMsThisMonth: number;
  /** The workspace's spend limit for model calls this month, and its spend so far. */
  workspaceSpend: Spend;
  /** The state of the session's sandbox; null while it is neither starting nor running. */
  slot: Exclude<SlotState, "claimed"> | null;
  /** The logins and default model of the caller's user; null for a user who is not a member. */
  callerModels: MemberModels | null;
  /** Those of the session's Assignee; null unless that is a member. */
  assigneeModels: MemberModels | null;
  /** The mark of the caller's user at the session's reasons to need somebody; null without one. */
  seenMark: number | null;
  /** The workspace's credentials at the providers. */
  workspaceCredentials: { provider: ProviderId; kind: "key" | "login"; needsReauth: boolean }[];
  /** The other columns of the workspace that the API returns. */
  workspaceRecord: Pick<Workspace, "name" | "slug" | "logo" | "timezone" | "spendLimitUsd" | "storedBytes">;
  /** The cron as the API returns it. */
  cronRecord: CronRow;
  cronFacts: CronFacts;
  /** The other columns of the project that the API returns. */
  projectRecord: Pick<Project, "workspaceId" | "repository" | "createdAt" | "updatedAt">;
}

export type Detail = keyof Details;

/** The SQL expression of each detail, as JSON. */
const details: Record<Detail, string> = {
  runningMsThisMonth: getRunningMsSql("w.id"),
  workspaceSpend: getSpendSql("w.id", "w.spend_limit_usd"),
  slot: "json_quote((SELECT l.state FROM sandbox_slots l WHERE l.sandbox_key = s.sandbox_key AND l.state <> 'claimed'))",
  callerModels: getMemberModelsSql("w.id", "k.user_id"),
  assigneeModels: getMemberModelsSql("w.id", "s.assignee_id"),
  seenMark: "(SELECT v.since FROM session_seen v WHERE v.session_id = s.id AND v.user_id = k.user_id)",
  workspaceCredentials: `(SELECT json_group_array(json_object('provider', c.provider, 'kind', c.kind, 'needsReauth',
    json(iif(c.needs_reauth, 'true', 'false')))) FROM provider_logins c WHERE c.owner_type = 'workspace' AND c.owner_id = w.id)`,
  workspaceRecord:
    "json_object('name', w.name, 'slug', w.slug, 'logo', w.logo, 'timezone', w.timezone, 'spendLimitUsd', w.spend_limit_usd, 'storedBytes', w.stored_bytes)",
  cronRecord: cronAsJson,
  cronFacts: cronFactsAsJson,
  projectRecord: `json_object('workspaceId', p.workspace_id, 'repository', p.repository, 'createdAt', p.created_at,
    'updatedAt', p.updated_at)`,
};

/** The rows and details that a route gets once access is granted. */
export type Found<Kind extends NounKind, With extends Detail = never> = Pick<
  Rows,
  (typeof nouns)[Kind]["finds"][number]
> &
  Pick<Details, With>;

/** The noun and the details that a request needs. */
export interface FactsRequest<Kind extends NounKind = NounKind, With extends Detail = Detail> {
  noun: Kind;
  with?: readonly With[] | undefined;
  /** The path parameters. */
  params: Record<string, string>;
}

export interface Access {
  key: Key;
  user: User | null;
  /** The user's role in the noun's workspace. */
  role: Role | null;
  workspaceId: string | null;
  /**
   * The name of a noun without a workspace, for an error message; null if the workspace was found.
   */
  unknown: string | null;
  /** The name of a noun without a row, for an error message; null if the row was found. */
  missing: string | null;
  /** The rows and details by name; null for those that were not found. */
  found: Record<string, unknown>;
}

const keyJson = `json_object('id', k.id, 'kind', k.kind, 'userId', k.user_id, 'workspaceId', k.workspace_id, 'sessionId', k.session_id,
  'turnId', k.turn_id, 'cronId', k.cron_id, 'projectId', k.project_id, 'scopes', json(k.scopes), 'clientName', iif(k.kind = 'client', k.name, NULL), 'expiresAt', k.expires_at, 'lastUsedAt', k.last_used_at,
  'role', (SELECT h.role FROM members h WHERE h.workspace_id = k.workspace_id AND h.user_id = k.user_id), 'bounds', json(k.bounds),
  'userSuspendedAt', u.suspended_at,
  'workspaceSuspendedAt', (SELECT h.suspended_at FROM workspaces h WHERE h.id = k.workspace_id),
  'writerRole', (SELECT h.role FROM members h WHERE h.workspace_id = k.workspace_id AND h.user_id = k.bounds ->> '$.writer.userId'))`;
const userJson = rowAsJson("u.id", "'id', u.id, 'name', u.name, 'email', u.email, 'imageUrl', u.image_url");

/** An SQL expression for a row as JSON; NULL if the join found none. */
function rowAsJson(id: string, columns: string): string {
  return `iif(${id} IS NULL, NULL, json_object(${columns}))`;
}

/** The columns of a noun's rows, and of the details. */
function listSelected({ finds }: Noun, wanted: readonly Detail[]): string[] {
  return [
    ...finds.map((name) => `${rowAsJson(rows[name].id, rows[name].columns)} AS ${name}`),
    ...wanted.map((name) => `${details[name]} AS ${name}`),
  ];
}

function statementFor(noun: Noun, wanted: readonly Detail[]): string {
  const { finds, joins } = noun;
  const selected = [
    `${keyJson} AS key`,
    `${userJson} AS user`,
    ...(finds.length > 0 ? ["json_quote(m.role) AS role"] : []),
    ...listSelected(noun, wanted),
  ];
  const members = finds.length > 0 ? "LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = k.user_id" : "";
  return `SELECT ${selected.join(", ")} FROM keys k LEFT JOIN users u ON u.id = k.user_id ${joins} ${members} WHERE k.hash = ?1`;
}

/**
 * Reads everything that decides whether the holder of a key may act on a noun. Null for an unknown
 * key.
 */
export async function findAccess(database: D1Database, keyHash: string, asked: FactsRequest): Promise<Access | null> {
  const noun: Noun = nouns[asked.noun];
  const row = await database
    .prepare(statementFor(noun, asked.with ?? []))
    .bind(keyHash, ...noun.params.map((name) => asked.params[name] ?? ""))
    .first<Record<string, string | number | null>>();
  if (!row) return null;
  const read = parseRow(row);
  const { key, user, role, ...found } = read;
  const own = noun.finds.at(-1);
  return {
    key,
    user,
    role: role ?? null,
    workspaceId: found.workspace?.id ?? null,
    unknown: own !== undefined && !found.workspace ? noun.unknown : null,
    missing: own !== undefined && !found[own] ? (noun.missing ?? noun.unknown) : null,
    found,
  };
}

/**
 * Reads a noun for work of the service itself, which has no key. Null if one of its rows is gone.
 */
export async function findFacts<Kind extends NounKind, With extends Detail = never>(
  database: D1Database,
  asked: FactsRequest<Kind, With>,
): Promise<Found<Kind, With> | null> {
  const noun: Noun = nouns[asked.noun];
  const selected = listSelected(noun, asked.with ?? []).join(", ");
  const row = await database
    .prepare(`SELECT ${selected} FROM (SELECT ?1 AS user_id) k ${noun.joins}`)
    .bind(null, ...noun.params.map((name) => asked.params[name] ?? ""))
    .first<Record<string, string | number | null>>();
  const read = row && parseRow(row);
  return read && noun.finds.every((name) => read[name] !== null) ? (read as Found<Kind, With>) : null;
}

function parseRow(row: Record<string, string | number | null>) {
  return Object.fromEntries(
    Object.entries(row).map(([name, json]) => [name, typeof json === "string" ? JSON.parse(json) : json]),
  );
}
