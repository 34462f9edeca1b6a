// The usage of workspaces: written as their turns' objects have counted it, and what a month's calls have cost so far.
import { and, eq, sql } from "drizzle-orm";
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import { openD1 } from "../storage/database.ts";
import { workspaces } from "../storage/tables/people.ts";
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
}

const columns = [
  ...["work_id", "day", "workspace_id", "project_id", "owner_type", "owner_id", "member_id", "cron_id", "model"],
  ...["payer_id", "calls", "input_tokens", "cached_tokens", "output_tokens", "nano_usd", "at"],
];

/**
 * Writes what a piece of work has used so far, by days, and moves the month's spend by what that is more than before, in one transaction.
 * Safe to repeat: older counts change nothing.
 */
export async function indexUsage(
  database: D1Database,
  { workspaceId, projectId, owner, memberId, cronId }: UsagePlace,
  workId: string,
  days: readonly UsageDay[],
): Promise<void> {
  if (days.length === 0) return;
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
  await database.batch(
    days.flatMap(({ day, model, payerId, calls, inputTokens, cachedTokens, outputTokens, nanoUsd, at }) => [
      ...(nanoUsd === null ? [] : [spend.bind(workspaceId, day.slice(0, 7), nanoUsd, workId, day)]),
      row.bind(
        ...[workId, day, workspaceId, projectId, owner.type, owner.id, memberId, cronId, model],
        ...[payerId, calls, inputTokens, cachedTokens, outputTokens, nanoUsd, at],
      ),
    ]),
  );
}

/** The columns of a `Spend`, and the join to the month's: of a query that has the workspace's row. */
export const spendColumns = {
  limitUsd: workspaces.spendLimitUsd,
  spentNanoUsd: sql<number>`coalesce(${workspaceSpend.nanoUsd}, 0)`,
};
export const isSpendOfMonth = and(
  eq(workspaceSpend.workspaceId, workspaces.id),
  eq(workspaceSpend.month, sql`strftime('%Y-%m', 'now')`),
);

/** An SQL expression: what this month's spend has of a piece of work. */
export const toldOfWork = (workId: string) =>
  sql<number>`(SELECT coalesce(sum(u.nano_usd), 0) FROM usage u WHERE u.work_id = ${workId} AND u.day >= strftime('%Y-%m-01', 'now'))`;

/** The query that answers what a workspace may spend this month, and has spent; no row for an unknown one. */
export function spendOf(database: D1Database, workspaceId: string) {
  return openD1(database)
    .select(spendColumns)
    .from(workspaces)
    .leftJoin(workspaceSpend, isSpendOfMonth)
    .where(eq(workspaces.id, workspaceId));
}

/** An SQL expression for a `Spend` as JSON. The arguments are SQL expressions too. */
export function spendAsJson(workspaceId: string, limitUsd: string): string {
  return `json_object('limitUsd', ${limitUsd}, 'spentNanoUsd', coalesce((SELECT ws.nano_usd FROM workspace_spend ws
    WHERE ws.workspace_id = ${workspaceId} AND ws.month = strftime('%Y-%m', 'now')), 0))`;
}
