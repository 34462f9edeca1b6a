// The networks of projects and workspaces in D1, and the sandboxes that a network concerns.
import type { Network, WorkspaceNetwork } from "../rules/network.ts";

export interface StoredNetworks {
  /** Null if the project has set none. */
  project: Network | null;
  /** Null if the workspace has set none. */
  workspace: WorkspaceNetwork | null;
  /** Null if the deploy agent has proposed none since a member set one. */
  proposal: Network | null;
  /** The hosts of the project's secrets. */
  secretHosts: string[];
}

/** Reads the networks that decide about a project's sandboxes; null for an unknown project. */
export async function findNetworks(database: D1Database, projectId: string): Promise<StoredNetworks | null> {
  const found = await database
    .prepare(
      `SELECT p.network AS project, w.network AS workspace, p.network_proposal AS proposal,
         (SELECT json_group_array(DISTINCT h.value) FROM network_secrets s, json_each(s.only_to) h
          WHERE s.project_id = p.id) AS secretHosts
       FROM projects p JOIN workspaces w ON w.id = p.workspace_id WHERE p.id = ?1`,
    )
    .bind(projectId)
    .first<Record<keyof StoredNetworks, string | null>>();
  return (
    found && {
      project: parse(found.project),
      workspace: parse(found.workspace),
      proposal: parse(found.proposal),
      secretHosts: parse<string[]>(found.secretHosts)?.toSorted() ?? [],
    }
  );
}

/** Reads the network of a workspace; null if it has set none, or is unknown. */
export async function findWorkspaceNetwork(
  database: D1Database,
  workspaceId: string,
): Promise<WorkspaceNetwork | null> {
  const found = database.prepare("SELECT network FROM workspaces WHERE id = ?1").bind(workspaceId);
  return parse(await found.first<string>("network"));
}

/** Sets the network of a project, and clears the proposal. False for an unknown one. */
export async function writeProjectNetwork(
  database: D1Database,
  { projectId, network, now }: { projectId: string; network: Network; now: number },
): Promise<boolean> {
  const set = database.prepare(
    "UPDATE projects SET network = ?2, network_proposal = NULL, updated_at = ?3 WHERE id = ?1",
  );
  return (await set.bind(projectId, JSON.stringify(network), now).run()).meta.changes > 0;
}

/** Replaces the proposal for a project. False for an unknown one. */
export async function writeNetworkProposal(
  database: D1Database,
  { projectId, network }: { projectId: string; network: Network },
): Promise<boolean> {
  const set = database.prepare("UPDATE projects SET network_proposal = ?2 WHERE id = ?1");
  return (await set.bind(projectId, JSON.stringify(network)).run()).meta.changes > 0;
}

/**
 * Sets the network of a workspace, and returns the ids of its projects. Null for an unknown one.
 */
export async function writeWorkspaceNetwork(
  database: D1Database,
  { workspaceId, network }: { workspaceId: string; network: WorkspaceNetwork },
): Promise<string[] | null> {
  const [set, projects] = await database.batch<{ id: string }>([
    database.prepare("UPDATE workspaces SET network = ?2 WHERE id = ?1").bind(workspaceId, JSON.stringify(network)),
    database.prepare("SELECT id FROM projects WHERE workspace_id = ?1").bind(workspaceId),
  ]);
  return set && set.meta.changes > 0 ? (projects?.results ?? []).map(({ id }) => id) : null;
}

export interface RunningSandbox {
  key: string;
  /** True for a sandbox of the warm pool, which no session has yet. */
  isSpare: boolean;
}

/** The project's sandboxes that run. */
export async function listRunningSandboxes(database: D1Database, projectId: string): Promise<RunningSandbox[]> {
  const { results } = await database
    .prepare(
      `SELECT l.sandbox_key AS key, l.owner_type = 'spare' AS isSpare FROM projects p
         JOIN sandbox_slots l ON l.workspace_id = p.workspace_id AND l.state = 'running'
       WHERE p.id = ?1 AND CASE l.owner_type
         WHEN 'main' THEN l.owner_id = p.id
         WHEN 'spare' THEN EXISTS (SELECT 1 FROM sandbox_spares x WHERE x.sandbox_key = l.sandbox_key AND x.project_id = p.id)
         ELSE EXISTS (SELECT 1 FROM sessions s WHERE s.id = l.owner_id AND s.project_id = p.id) END
       ORDER BY l.sandbox_key`,
    )
    .bind(projectId)
    .all<{ key: string; isSpare: number }>();
  return results.map(({ key, isSpare }) => ({ key, isSpare: isSpare === 1 }));
}

const parse = <Value>(text: string | null): Value | null => (text === null ? null : JSON.parse(text));
