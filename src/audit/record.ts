// Records an event of the audit log. The change has been made by then, so that a failure to record
// it is logged with the event, and does not fail the call.
import type { Env } from "../env.ts";
import { createId } from "../lib/ids.ts";
import { findRequestId, log } from "../lib/log.ts";
import type { AuditEvent } from "./rules/event.ts";

/** The workspace of an event, or the user in all of whose workspaces it is recorded. */
export type AuditScope = { workspaceId: string } | { userId: string };

/** Records what somebody did at `at`. Never throws. */
export async function recordAuditEvent(
  env: Pick<Env, "DB">,
  scope: AuditScope,
  event: Omit<AuditEvent, "id" | "workspaceId" | "requestId">,
): Promise<void> {
  const { at, ...details } = event;
  const stored = JSON.stringify({ ...details, requestId: findRequestId() });
  const [rows, scopeId] =
    "workspaceId" in scope
      ? ["VALUES (?4, ?1, ?2, ?3)", scope.workspaceId]
      : ["SELECT workspace_id, ?1, ?2, ?3 FROM members WHERE user_id = ?4", scope.userId];
  try {
    await env.DB.prepare(`INSERT INTO audit_events (workspace_id, id, at, event) ${rows}`)
      .bind(createId(at), at, stored, scopeId)
      .run();
  } catch (error) {
    log.error("audit.not_recorded", { ...scope, event: stored, error });
  }
}
