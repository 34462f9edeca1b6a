// Access: a caller's key, its user, their role and the noun that a path names, read in one statement.
import type { Key } from "../../rules/access/caller.ts";
import type { Role, User } from "../../rules/access/membership.ts";
import type { ProviderId } from "../../rules/model/provider.ts";
import type { PullRequestState, SessionStatus } from "../../rules/session/session.ts";
import type { PlanName } from "../../rules/workspace/plan.ts";
import type { SlotState } from "../tables/sandboxes.ts";
import { runningMsThisMonth } from "./running-time.ts";

/**
 * What the path of a route names, as far as it decides who may call it. The kinds `-for-send` bring what a turn's start asks of the plan
 * besides; reads do without it.
 */
export type NounKind =
  | "none"
  | "workspace"
  | "project"
  | "project-for-send"
  | "session"
  | "session-for-send"
  | "stream";

export interface WorkspaceFound {
  id: string;
  plan: PlanName;
  defaultModel: string | null;
  /** The providers that its credentials can run. */
  providers: ProviderId[];
}

export interface ProjectFound {
  id: string;
  name: string;
  targetBranch: string;
  deployStatus: string;
  mainSandboxKey: string;
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
  /** The member it is booked to; null when that is the service or nobody. */
  assigneeId: string | null;
}

/** What a workspace's plan is held against. */
export interface WorkspaceForSend extends WorkspaceFound {
  /** The sandboxes of sessions that run or start, this session's own among them. */
  slotsTaken: number;
  /** The part of what runs now that lies in this month is in it. */
  runningMsThisMonth: number;
}

export interface SessionForSend extends SessionFound {
  /** Null while its sandbox neither starts nor runs. */
  slot: Exclude<SlotState, "claimed"> | null;
}

/** What every noun of a workspace brings: the caller's role there; null for a caller who stands for no member. */
interface Membership {
  role: Role | null;
}

export interface NounsFound {
  none: object;
  workspace: Membership & { workspace: WorkspaceFound };
  project: Membership & { workspace: WorkspaceFound; project: ProjectFound };
  "project-for-send": Membership & { workspace: WorkspaceForSend; project: ProjectFound };
  session: Membership & { workspace: WorkspaceFound; project: ProjectFound; session: SessionFound };
  "session-for-send": Membership & { workspace: WorkspaceForSend; project: ProjectFound; session: SessionForSend };
  /** The session of the turn that the stream is of. */
  stream: Membership & { workspace: WorkspaceFound; project: ProjectFound; session: SessionFound };
}

export interface Access {
  key: Key;
  user: User | null;
  role: Role | null;
  workspace: WorkspaceFound | null;
  project: ProjectFound | null;
  session: SessionFound | null;
}

/** Columns of a row as a JSON object with the names that TypeScript uses; null where the join found no row. */
function found(name: string, id: string, fields: string): string {
  return `iif(${id} IS NULL, NULL, json_object(${fields})) AS ${name}`;
}

const key = `json_object('id', k.id, 'kind', k.kind, 'userId', k.user_id, 'workspaceId', k.workspace_id, 'sessionId', k.session_id,
  'turnId', k.turn_id, 'expiresAt', k.expires_at, 'lastUsedAt', k.last_used_at,
  'role', (SELECT h.role FROM members h WHERE h.workspace_id = k.workspace_id AND h.user_id = k.user_id)) AS key`;
const user = found("user", "u.id", "'id', u.id, 'name', u.name, 'email', u.email, 'imageUrl', u.image_url");

const workspaceFields = `'id', w.id, 'plan', w.plan, 'defaultModel', w.default_model, 'providers',
  (SELECT json_group_array(c.provider) FROM workspace_credentials c WHERE c.workspace_id = w.id AND c.needs_reauth = 0)`;

const workspaceFieldsForSend = `${workspaceFields},
  'slotsTaken', (SELECT count(*) FROM sandbox_slots l WHERE l.workspace_id = w.id),
  'runningMsThisMonth', ${runningMsThisMonth("w.id")}`;

const projectFields = `'id', p.id, 'name', p.name, 'targetBranch', p.target_branch, 'deployStatus', p.deploy_status,
  'mainSandboxKey', p.main_sandbox_key`;

const sessionFields = `'id', s.id, 'title', s.title, 'status', s.status, 'sandboxKey', s.sandbox_key, 'branch', s.branch,
  'targetBranch', s.target_branch, 'prState', s.pr_state, 'prBase', s.pr_base, 'assigneeId', s.assignee_id`;

const sessionFieldsForSend = `${sessionFields},
  'slot', (SELECT l.state FROM sandbox_slots l WHERE l.sandbox_key = s.sandbox_key AND l.state <> 'claimed')`;

const workspace = `m.role AS role, ${found("workspace", "w.id", workspaceFields)}`;
const workspaceForSend = `m.role AS role, ${found("workspace", "w.id", workspaceFieldsForSend)}`;
const project = found("project", "p.id", projectFields);
const session = found("session", "s.id", sessionFields);
const sessionForSend = found("session", "s.id", sessionFieldsForSend);

const fromKeys = "FROM keys k LEFT JOIN users u ON u.id = k.user_id";
const joinMembers = "LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = k.user_id";
const ofWorkspace = `${fromKeys} LEFT JOIN workspaces w ON w.id = ?2 ${joinMembers}`;
const ofProject = `${fromKeys} LEFT JOIN projects p ON p.id = ?2 LEFT JOIN workspaces w ON w.id = p.workspace_id ${joinMembers}`;
const ofSession = `${ofProject} LEFT JOIN sessions s ON s.id = ?3 AND s.project_id = p.id`;

const ofStream = `${fromKeys} LEFT JOIN jobs j ON j.id = ?2 LEFT JOIN sessions s ON s.id = j.session_id
  LEFT JOIN projects p ON p.id = s.project_id LEFT JOIN workspaces w ON w.id = p.workspace_id ${joinMembers}`;

const select = (columns: string[], from: string) => `SELECT ${columns.join(", ")} ${from} WHERE k.hash = ?1`;

const statements: Record<NounKind, { sql: string; params: readonly string[] }> = {
  none: { sql: select([key, user], fromKeys), params: [] },
  workspace: { sql: select([key, user, workspace], ofWorkspace), params: ["workspaceId"] },
  project: { sql: select([key, user, workspace, project], ofProject), params: ["projectId"] },
  "project-for-send": { sql: select([key, user, workspaceForSend, project], ofProject), params: ["projectId"] },
  session: { sql: select([key, user, workspace, project, session], ofSession), params: ["projectId", "sessionId"] },
  "session-for-send": {
    sql: select([key, user, workspaceForSend, project, sessionForSend], ofSession),
    params: ["projectId", "sessionId"],
  },
  stream: { sql: select([key, user, workspace, project, session], ofStream), params: ["streamId"] },
};

/** Reads all that decides whether the holder of a key may do something to the noun of a path. Null for an unknown key. */
export async function findAccess(
  database: D1Database,
  keyHash: string,
  noun: NounKind,
  params: Record<string, string>,
): Promise<Access | null> {
  const { sql, params: names } = statements[noun];
  const row = await database
    .prepare(sql)
    .bind(keyHash, ...names.map((name) => params[name] ?? ""))
    .first<Record<string, string | null>>();
  if (!row) return null;
  // The statements above build these objects; `role` alone is plain text.
  const read = (column: string) => (row[column] ? JSON.parse(row[column]) : null);
  return {
    key: read("key"),
    user: read("user"),
    role: (row.role ?? null) as Role | null,
    workspace: read("workspace"),
    project: read("project"),
    session: read("session"),
  };
}
