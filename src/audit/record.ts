// Records an event of the audit log. The change has been made by then, so that a failure to record
// it is logged with the event, and does not fail the call.
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { findRequestId, log } from "../lib/log.ts";
import { getOldestRepeatable } from "../rules/idempotency.ts";
import type { AuditEvent } from "./rules/event.ts";
import { getFirstIdAt } from "./rules/retention.ts";

/**
 * The workspace of an event, or the user in all of whose workspaces it is recorded. For a user who
 * is being deleted, it is recorded only if the deletion is.
 */
export type AuditScope = { workspaceId: string } | { userId: string } | { deletedUserId: string };

function getScopeSql(scope: AuditScope): [workspaces: string, id: string] {
  if ("workspaceId" in scope) return ["SELECT ?4 AS id", scope.workspaceId];
  const ofUser = "SELECT workspace_id AS id FROM members WHERE user_id = ?4";
  if ("userId" in scope) return [ofUser, scope.userId];
  return [`${ofUser} AND EXISTS (SELECT 1 FROM removals r WHERE r.type = 'person' AND r.id = ?4)`, scope.deletedUserId];
}

type EventToRecord = Omit<AuditEvent, "id" | "workspaceId" | "requestId"> & {
  /** Identifies the request, if it has an Idempotency-Key. */
  repeat?: string | undefined;
};

/** Records what somebody did at `at`. A repeated request is recorded once. Never throws. */
export async function recordAuditEvent(env: Pick<Env, "DB">, scope: AuditScope, event: EventToRecord): Promise<void> {
  try {
    await createAuditStatement(env.DB, scope, event).run();
  } catch (error) {
    log.error("audit.not_recorded", { ...scope, event: JSON.stringify(event), error });
  }
}

/** The statement that records an event, for the transaction of what it is about. */
export function createAuditStatement(
  database: D1Database,
  scope: AuditScope,
  event: EventToRecord,
): D1PreparedStatement {
  const { at, ...details } = event;
  const stored = JSON.stringify({ ...details, requestId: findRequestId() });
  const [workspaces, scopeId] = getScopeSql(scope);
  return database
    .prepare(
      `INSERT INTO audit_events (workspace_id, id, at, event)
       SELECT w.id, ?1, ?2, ?3 FROM (${workspaces}) w
       WHERE ?5 IS NULL OR NOT EXISTS (SELECT 1 FROM audit_events e
         WHERE e.workspace_id = w.id AND e.id >= ?6 AND e.event ->> '$.repeat' = ?5)`,
    )
    .bind(createId(at), at, stored, scopeId, details.repeat ?? null, getFirstIdAt(getOldestRepeatable(at)));
}
