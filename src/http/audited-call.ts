// The one place where the audit log gets what a caller did by a request: to an endpoint, or by the
// form of a page.
import type { Caller } from "../access/rules/caller.ts";
import { recordAuditEvent } from "../audit/record.ts";
import { type AuditEvent, toAuditActor } from "../audit/rules/event.ts";
import type { Env } from "../env.ts";
import { findCallerAddress } from "./rate-limit.ts";

interface RecordedCall extends Pick<AuditEvent, "at" | "operation" | "target"> {
  caller: Pick<Caller, "actor" | "facts" | "keyId" | "user">;
  /**
   * Null for a change of the caller's account, which is recorded in all of their workspaces, and
   * in none for a caller without a user.
   */
  workspaceId: string | null;
  /** Identifies the request, if it has an Idempotency-Key. */
  repeat?: string | undefined;
}

/** Records a successful call. Never throws (decisions, "Audit log"). */
export async function recordCall(
  env: Pick<Env, "DB">,
  request: Request,
  { caller, workspaceId, ...call }: RecordedCall,
): Promise<void> {
  const scope = workspaceId === null ? caller.user && { userId: caller.user.id } : { workspaceId };
  if (scope === null) return;
  await recordAuditEvent(env, scope, {
    ...{ ...call, actor: toAuditActor(caller.actor), via: caller.facts.kind, keyId: caller.keyId },
    address: findCallerAddress(request),
  });
}
