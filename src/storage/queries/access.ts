// Access: a caller's key, its user, their role and the noun that a path names, read in one statement.
import type { User } from "../../rules/caller.ts";
import type { Role } from "../../rules/membership.ts";
import type { CallerKind } from "../../rules/permission.ts";
import type { PlanName } from "../../rules/plan.ts";
import type { ProviderId } from "../../rules/provider.ts";
import type { SessionStatus } from "../../rules/session.ts";

/** What the path of a route names, as far as it decides who may call it. */
export type NounKind = "none" | "workspace" | "project" | "session";

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
}

export interface NounsFound {
  none: object;
  workspace: { workspace: WorkspaceFound };
  project: { workspace: WorkspaceFound; project: ProjectFound };
  session: { workspace: WorkspaceFound; project: ProjectFound; session: SessionFound };
}

export interface Access {
  key: { id: string; kind: CallerKind; workspaceId: string | null; expiresAt: number | null };
  user: User | null;
  role: Role | null;
  workspace: WorkspaceFound | null;
  project: ProjectFound | null;
  session: SessionFound | null;
}

const keyColumns = `json_object('id', k.id, 'kind', k.kind, 'workspaceId', k.workspace_id, 'expiresAt', k.expires_at) AS key,
  iif(u.id IS NULL, NULL, json_object('id', u.id, 'name', u.name, 'email', u.email, 'imageUrl', u.image_url)) AS user`;

const workspaceColumns = `m.role AS role,
  iif(w.id IS NULL, NULL, json_object('id', w.id, 'plan', w.plan, 'defaultModel', w.default_model, 'providers',
    (SELECT json_group_array(c.provider) FROM workspace_credentials c WHERE c.workspace_id = w.id))) AS workspace`;

const projectColumns = `iif(p.id IS NULL, NULL, json_object('id', p.id, 'name', p.name, 'targetBranch', p.target_branch,
  'deployStatus', p.deploy_status, 'mainSandboxKey', p.main_sandbox_key)) AS project`;

const sessionColumns = `iif(s.id IS NULL, NULL, json_object('id', s.id, 'title', s.title, 'status', s.status,
  'sandboxKey', s.sandbox_key, 'branch', s.branch, 'targetBranch', s.target_branch)) AS session`;

const fromKeys = "FROM keys k LEFT JOIN users u ON u.id = k.user_id";
const joinMembers = "LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = k.user_id";
const joinProject = "LEFT JOIN projects p ON p.id = ?2 LEFT JOIN workspaces w ON w.id = p.workspace_id";

const statements: Record<NounKind, { sql: string; params: readonly string[] }> = {
  none: { sql: `SELECT ${keyColumns} ${fromKeys}`, params: [] },
  workspace: {
    sql: `SELECT ${keyColumns}, ${workspaceColumns} ${fromKeys} LEFT JOIN workspaces w ON w.id = ?2 ${joinMembers}`,
    params: ["workspaceId"],
  },
  project: {
    sql: `SELECT ${keyColumns}, ${workspaceColumns}, ${projectColumns} ${fromKeys} ${joinProject} ${joinMembers}`,
    params: ["projectId"],
  },
  session: {
    sql: `SELECT ${keyColumns}, ${workspaceColumns}, ${projectColumns}, ${sessionColumns} ${fromKeys} ${joinProject} ${joinMembers}
      LEFT JOIN sessions s ON s.id = ?3 AND s.project_id = p.id`,
    params: ["projectId", "sessionId"],
  },
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
    .prepare(`${sql} WHERE k.hash = ?1`)
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
