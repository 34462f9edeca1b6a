// The usage of workspaces: as counted by their turns' objects, and the cost of the current month's
// calls.
import { and, eq, sql } from "drizzle-orm";
import type { TurnOwner } from "../chat/rules/chat.ts";
import { createId } from "../lib/ids.ts";
import { usageGroupsMax } from "../rules/limits.ts";
import { toDrizzle } from "../storage/database.ts";
import { createSpendEvent } from "../webhook/rules/trigger-events.ts";
import { workspaces } from "../workspace/tables.ts";
import type { UsageGrouping, UsageRange } from "./rules/report.ts";
import type { UsageDay } from "./rules/usage.ts";
import { workspaceSpend } from "./tables.ts";

/** Where work was done, and for whom. */
export interface UsagePlace {
  workspaceId: string;
  projectId: string;
  owner: TurnOwner;
  /** The member who sent the turn's message; null for other senders. */
  memberId: string | null;
  /** The cron whose run it is, or whose run filed its session; null for others. */
  cronId: string | null;
  /** The trigger whose run made its session; null for others. */
  triggerId: string | null;
}

const columns = [
  ...["work_id", "day", "workspace_id", "project_id", "owner_type", "owner_id", "member_id", "cron_id", "model"],
  ...["payer_id", "calls", "input_tokens", "cached_tokens", "output_tokens", "nano_usd", "at", "trigger_id"],
];

/**
 * Writes the usage of a piece of work so far, by day, and adds the difference to the month's spend,
 * in one transaction. Idempotent: older counts change nothing. Returns the id of the event that is
 * kept for webhooks if the month has reached the workspace's limit now; null without one.
 */
export async function indexUsage(
  database: D1Database,
  { workspaceId, projectId, owner, memberId, cronId, triggerId }: UsagePlace,
  workId: string,
  days: readonly UsageDay[],
): Promise<string | null> {
  const now = Date.now();
  const event = createSpendEvent(createId(now), workspaceId, now);
  // Before the spend is added: it is below the limit now, and is not with the difference.
  const reached = database.prepare(
    `INSERT INTO webhook_events (id, event)
     SELECT ?6, json_set(?7, '$.data.limitUsd', w.spend_limit_usd) FROM workspaces w
       LEFT JOIN workspace_spend s ON s.workspace_id = w.id AND s.month = ?2
       LEFT JOIN usage u ON u.work_id = ?4 AND u.day = ?5
     WHERE w.id = ?1 AND w.spend_limit_usd IS NOT NULL AND EXISTS (SELECT 1 FROM webhooks h WHERE h.workspace_id = w.id)
       AND w.spend_limit_usd > coalesce(s.nano_usd, 0) / 1e9 AND ?2 = strftime('%Y-%m', 'now')
       AND w.spend_limit_usd <= (coalesce(s.nano_usd, 0) + max(0, ?3 - coalesce(u.nano_usd, 0))) / 1e9`,
  );
  const spend = database.prepare(
    `INSERT INTO workspace_spend (workspace_id, month, nano_usd)
     SELECT ?1, ?2, max(0, ?3 - coalesce((SELECT u.nano_usd FROM usage u WHERE u.work_id = ?4 AND u.day = ?5), 0)) WHERE true
     ON CONFLICT (workspace_id, month) DO UPDATE SET nano_usd = nano_usd + excluded.nano_usd`,
  );
  const counted = ["calls", "input_tokens", "cached_tokens", "output_tokens", "nano_usd"];
  const row = database.prepare(
    `INSERT INTO usage (${columns.join(", ")}) VALUES (${columns.map((_, place) => `?${place + 1}`).join(", ")})
     ON CONFLICT (work_id, day) DO UPDATE SET ${counted.map((name) => `${name} = excluded.${name}`).join(", ")}
     WHERE excluded.calls > usage.calls`,
  );
  const writes: D1PreparedStatement[] = [];
  const checks: number[] = [];
  for (const { day, model, payerId, calls, inputTokens, cachedTokens, outputTokens, nanoUsd, at } of days) {
    if (nanoUsd !== null) {
      const added = [workspaceId, day.slice(0, 7), nanoUsd, workId, day];
      checks.push(writes.length);
      writes.push(reached.bind(...added, event.id, JSON.stringify(event)), spend.bind(...added));
    }
    writes.push(
      row.bind(
        ...[workId, day, workspaceId, projectId, owner.type, owner.id, memberId, cronId, model],
        ...[payerId, calls, inputTokens, cachedTokens, outputTokens, nanoUsd, at, triggerId],
      ),
    );
  }
  if (writes.length === 0) return null;
  const results = await database.batch(writes);
  return checks.some((place) => results[place]?.meta.changes) ? event.id : null;
}

/**
 * The columns of a `Spend`, and the join to the month's row, for a query that has the workspace's
 * row.
 */
export const spendColumns = {
  limitUsd: workspaces.spendLimitUsd,
  spentNanoUsd: sql<number>`coalesce(${workspaceSpend.nanoUsd}, 0)`,
};
export const isSpendOfMonth = and(
  eq(workspaceSpend.workspaceId, workspaces.id),
  eq(workspaceSpend.month, sql`strftime('%Y-%m', 'now')`),
);

/** An SQL expression: the share of a piece of work in this month's spend. */
export const getReportedWorkSql = (workId: string) =>
  sql<number>`(SELECT coalesce(sum(u.nano_usd), 0) FROM usage u WHERE u.work_id = ${workId} AND u.day >= strftime('%Y-%m-01', 'now'))`;

/**
 * The query that returns a workspace's limit for this month, what it has spent, and when it was
 * suspended; no row for an unknown workspace.
 */
export function findSpend(database: D1Database, workspaceId: string) {
  return toDrizzle(database)
    .select({ ...spendColumns, suspendedAt: workspaces.suspendedAt })
    .from(workspaces)
    .leftJoin(workspaceSpend, isSpendOfMonth)
    .where(eq(workspaces.id, workspaceId));
}

/** An SQL expression for a `Spend` as JSON. The arguments are SQL expressions too. */
export function getSpendSql(workspaceId: string, limitUsd: string): string {
  return `json_object('limitUsd', ${limitUsd}, 'spentNanoUsd', coalesce((SELECT ws.nano_usd FROM workspace_spend ws
    WHERE ws.workspace_id = ${workspaceId} AND ws.month = strftime('%Y-%m', 'now')), 0))`;
}

/** A usage report of a workspace, from the rows of its turns. */
export interface UsageSum {
  /** The number of turns and other pieces of work. */
  turns: number;
  calls: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** Null if nothing was on the workspace's credentials. */
  nanoUsd: number | null;
}

export interface UsageGroup extends UsageSum {
  /** Null for rows without one, such as turns of no cron. */
  id: string | null;
  /** Null if it was deleted, and if it has no name. */
  name: string | null;
}

export interface UsagePoint extends UsageSum {
  /** When the interval begins. */
  from: number;
}

export interface UsageReport {
  groups: UsageGroup[];
  total: UsageSum;
  /** Null if no intervals were asked for. */
  series: UsagePoint[] | null;
}

export interface UsageQuery extends UsageRange {
  workspaceId: string;
  by: UsageGrouping;
  /** The member whose turns count; null for everybody's. */
  memberId: string | null;
  /** When each interval begins, in order; null without intervals. */
  starts: readonly number[] | null;
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

/** The usage of each interval, also of those without any. */
const bySpan = `WITH spans AS
    (SELECT value AS "from", lead(value, 1, ?3) OVER (ORDER BY value) AS until FROM json_each(?2))
  SELECT spans."from", ${sums} FROM spans LEFT JOIN usage u
    ON u.workspace_id = ?1 AND u.at >= spans."from" AND u.at < spans.until AND (?4 IS NULL OR u.member_id = ?4)
  GROUP BY 1 ORDER BY 1`;

/** Sums up the usage, in one round trip. The most expensive groups come first. */
export async function readUsage(
  database: D1Database,
  { workspaceId, from, to, memberId, by, starts }: UsageQuery,
): Promise<UsageReport> {
  const { id, name } = groupings[by];
  const grouped = `SELECT ${id} AS id, ${sums} ${wanted} GROUP BY 1`;
  const ordered = `SELECT g.*, ${name} AS name FROM (${grouped}) g
    ORDER BY coalesce(g.nanoUsd, 0) DESC, g.inputTokens + g.outputTokens DESC, g.id LIMIT ${usageGroupsMax}`;
  const values = [workspaceId, from, to, memberId];
  const [groups, total, series] = await database.batch<unknown>([
    database.prepare(ordered).bind(...values),
    database.prepare(`SELECT ${sums} ${wanted}`).bind(...values),
    ...(starts ? [database.prepare(bySpan).bind(workspaceId, JSON.stringify(starts), to, memberId)] : []),
  ]);
  return {
    groups: (groups?.results ?? []) as UsageGroup[],
    total: ((total?.results ?? []) as UsageSum[])[0] ?? nothing,
    series: starts && ((series?.results ?? []) as UsagePoint[]),
  };
}

const nothing: UsageSum = { turns: 0, calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, nanoUsd: null };
