// A usage report of a workspace, from the rows of its turns.
import { usageGroupsMax } from "../rules/limits.ts";
import type { UsageGrouping, UsageRange } from "./rules/report.ts";

export interface UsageSum {
  /** The turns, and other pieces of work. */
  turns: number;
  calls: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Null where nothing was on the workspace's credentials. */
  nanoUsd: number | null;
}

export interface UsageGroup extends UsageSum {
  /** Null for what belongs to none, such as turns of no cron. */
  id: string | null;
  /** Null for what is deleted, and for what has no name. */
  name: string | null;
}

export interface UsageReport {
  groups: UsageGroup[];
  total: UsageSum;
}

export interface UsageQuery extends UsageRange {
  workspaceId: string;
  by: UsageGrouping;
  /** The member whose turns count; null for everybody's. */
  memberId: string | null;
}

/** The id of a row's group, and the name of a group. */
const groupings: Record<UsageGrouping, { id: string; name: string }> = {
  session: {
    id: "iif(u.owner_type = 'session', u.owner_id, NULL)",
    name: "(SELECT s.title FROM sessions s WHERE s.id = g.id)",
  },
  member: { id: "u.member_id", name: "(SELECT p.name FROM users p WHERE p.id = g.id)" },
  project: { id: "u.project_id", name: "(SELECT p.name FROM projects p WHERE p.id = g.id)" },
  cron: { id: "u.cron_id", name: "(SELECT c.name FROM crons c WHERE c.id = g.id)" },
  model: { id: "u.model", name: "NULL" },
};

const sums = `count(DISTINCT u.work_id) AS turns, coalesce(sum(u.calls), 0) AS calls, coalesce(sum(u.input_tokens), 0) AS inputTokens,
  coalesce(sum(u.cached_tokens), 0) AS cachedTokens, coalesce(sum(u.output_tokens), 0) AS outputTokens, sum(u.nano_usd) AS nanoUsd`;
const wanted =
  "FROM usage u WHERE u.workspace_id = ?1 AND u.at >= ?2 AND u.at < ?3 AND (?4 IS NULL OR u.member_id = ?4)";

/** Sums up what was used, in one round trip. The groups that cost most come first. */
export async function readUsage(
  database: D1Database,
  { workspaceId, from, to, memberId, by }: UsageQuery,
): Promise<UsageReport> {
  const { id, name } = groupings[by];
  const grouped = `SELECT ${id} AS id, ${sums} ${wanted} GROUP BY 1`;
  const ordered = `SELECT g.*, ${name} AS name FROM (${grouped}) g
    ORDER BY coalesce(g.nanoUsd, 0) DESC, g.inputTokens + g.outputTokens DESC, g.id LIMIT ${usageGroupsMax}`;
  const values = [workspaceId, from, to, memberId];
  const [groups, total] = await database.batch<UsageGroup>([
    database.prepare(ordered).bind(...values),
    database.prepare(`SELECT ${sums} ${wanted}`).bind(...values),
  ]);
  const [sum] = total?.results ?? [];
  return { groups: groups?.results ?? [], total: sum ?? nothing };
}

const nothing: UsageSum = { turns: 0, calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, nanoUsd: null };
