// The activity of workspaces: events are written once, and swept when they are too old for the feed.
import { eq } from "drizzle-orm";
import type { RecordedEvent } from "../../rules/activity/activity.ts";
import { activityWindowMs } from "../../rules/limits.ts";
import type { CodeHostAccount } from "../../rules/pull-request/state.ts";
import { openD1 } from "../database.ts";
import { codeHostIdentities, users } from "../tables/people.ts";

/** Records events, in their order. An event that was recorded before stays as it is. */
export async function recordEvents(database: D1Database, events: readonly RecordedEvent[]): Promise<void> {
  const written = await Promise.all(
    events.map(async (event) => insertion(database, event, await payloadOf(database, event))),
  );
  await database.batch(written);
}

/** Records an event in the batch of the change that it tells of. Nothing is recorded if the statement before it changed nothing. */
export function recordChange(database: D1Database, event: RecordedEvent): D1PreparedStatement {
  return insertion(database, event, event.payload, "changes() > 0");
}

/** The time never runs backwards along the feed, whatever was written late. */
function insertion(
  database: D1Database,
  event: RecordedEvent,
  payload: Record<string, unknown>,
  condition = "true",
): D1PreparedStatement {
  const { id, workspaceId, projectId, sessionId, kind, doer, subject, at } = event;
  const source = doer?.source ? JSON.stringify(doer.source) : null;
  return database
    .prepare(
      `INSERT INTO activity (id, workspace_id, project_id, project_name, session_id, kind, actor_id, source, subject, payload, created_at)
       SELECT ?1, ?2, ?3, (SELECT name FROM projects WHERE id = ?3), ?4, ?5, ?6, ?7, ?8, ?9,
         max(?10, coalesce((SELECT created_at FROM activity ORDER BY seq DESC LIMIT 1), 0))
       WHERE ${condition}
       ON CONFLICT (id) DO NOTHING`,
    )
    .bind(
      id,
      workspaceId,
      projectId,
      sessionId,
      kind,
      doer?.userId ?? null,
      source,
      subject,
      JSON.stringify(payload),
      at,
    );
}

/** A merge names the user who connected the account that merged. */
async function payloadOf(database: D1Database, { kind, payload }: RecordedEvent): Promise<Record<string, unknown>> {
  const account = payload.mergedBy as CodeHostAccount | null | undefined;
  if (kind !== "pr_merged" || !account) return payload;
  const user = await openD1(database)
    .select({ userId: users.id, name: users.name })
    .from(codeHostIdentities)
    .innerJoin(users, eq(users.id, codeHostIdentities.userId))
    .where(eq(codeHostIdentities.hostUserId, account.hostUserId))
    .get();
  const mergedBy = { login: account.login, userId: user?.userId ?? null, name: user?.name ?? null };
  return { ...payload, mergedBy };
}

/** Deletes up to `atMost` events that the feed no longer shows. */
export async function sweepActivity(database: D1Database, now: number, atMost: number): Promise<void> {
  await database
    .prepare("DELETE FROM activity WHERE seq IN (SELECT seq FROM activity WHERE created_at <= ?1 LIMIT ?2)")
    .bind(now - activityWindowMs, atMost)
    .run();
}
