// An event of the audit log: who did what, from where, in which workspace.
import type { CallingActor } from "../../access/rules/actor.ts";
import type { CallerKind } from "../../access/rules/permission-table.ts";

export type AuditActor =
  /** A member, also where the Lead acted for them. */
  | { kind: "member"; userId: string; name: string }
  /**
   * The agent of a session, or of a Deploy, which has no session; and the member for whom it acted,
   * null if it acted for nobody.
   */
  | { kind: "agent"; sessionId: string | null; userId: string | null }
  /** A run of a cron, and the member whose rights it had; null if they have left. */
  | { kind: "cron"; cronId: string; runId: string; userId: string | null }
  | { kind: "relay" }
  /** The service itself, which ends a connection that somebody may have stolen. */
  | { kind: "service" }
  /** The operator of the service, by `npm run operator`. */
  | { kind: "operator" };

export interface AuditEvent {
  /** A UUIDv7 of its time. */
  id: string;
  at: number;
  workspaceId: string;
  /**
   * The operation of the API; `operator.` and the operator's command; `agent.` and the agent's
   * tool; `oauth.` and what a client did that ended its connection.
   */
  operation: string;
  actor: AuditActor;
  via: CallerKind | "operator";
  /** The key of the caller; null for the operator. */
  keyId: string | null;
  /** What was changed: the ids of the path, and the id of what was created. */
  target: Record<string, string>;
  /** The address of the caller; null if it is unknown. */
  address: string | null;
  requestId: string | null;
}

/** The actor of an event. */
export function toAuditActor(sender: CallingActor): AuditActor {
  switch (sender.type) {
    case "member":
    case "lead":
    case "client-agent":
      return { kind: "member", userId: sender.user.id, name: sender.user.name };
    case "session-agent":
      return { kind: "agent", sessionId: sender.sessionId, userId: sender.user?.id ?? null };
    case "cron-run":
      return { kind: "cron", cronId: sender.cronId, runId: sender.runId, userId: sender.user?.id ?? null };
    case "relay":
      return { kind: "relay" };
  }
}

const targetCharacters = 200;

/**
 * What a call changed: the parameters of its path, and the id of what it created, which a response
 * has itself or in its only field. A token in a path is a secret, so it is left out.
 */
export function toAuditTarget(params: Record<string, string>, data: unknown): Record<string, string> {
  const named = Object.entries(params).filter(([name]) => name !== "token");
  const id = findId(data) ?? (isObject(data) ? Object.values(data).map(findId).find(Boolean) : undefined);
  const known = id === undefined || named.some(([, value]) => value === id) ? [] : [["id", id] as const];
  return Object.fromEntries([...named, ...known].map(([name, value]) => [name, value.slice(0, targetCharacters)]));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function findId(value: unknown): string | undefined {
  return isObject(value) && typeof value.id === "string" ? value.id : undefined;
}
