// A caller: the sender of a request, from its key.

import type { RunBounds } from "../../cron/rules/last-writer.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { CallingActor, RelaySender, RunWriter } from "./actor.ts";
import { findLesserRole, type Role, type User } from "./membership.ts";
import type { CallerFacts, CallerKind, CronRunFacts } from "./permission-table.ts";
import type { Scope } from "./scope.ts";

/** A stored key, without its hash. */
export interface Key {
  id: string;
  kind: CallerKind;
  userId: string | null;
  /** Set for kinds that are bound to one workspace. */
  workspaceId: string | null;
  /** An agent's session; null for the Lead. */
  sessionId: string | null;
  /** The turn that an agent's token is valid for. */
  turnId: string | null;
  /**
   * Set for a cron run's key: its cron, and the project that it reads. The run is the key's turn.
   */
  cronId: string | null;
  projectId: string | null;
  /** What a connected agent may do; null for any other key. */
  scopes: Scope[] | null;
  /** The name of a connected agent; null for any other key. */
  clientName: string | null;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** The role of the key's user in the workspace that the key is bound to. */
  role: Role | null;
  /** The limits of a cron run's rights; null for any other key. */
  bounds: RunBounds | null;
  /** When the key's user was suspended. */
  userSuspendedAt: number | null;
  /** When the workspace that the key is bound to was suspended. */
  workspaceSuspendedAt: number | null;
  /** The role of the last writer of the run's cron, if that is not its creator. */
  writerRole: Role | null;
}

export interface Caller {
  keyId: string;
  facts: CallerFacts;
  /** The actor of the changes that the request makes. */
  actor: CallingActor;
  /**
   * The user that the caller acts as; null for a relay, for an agent whose turn the Assignee did
   * not send, and for a run whose creator left.
   */
  user: User | null;
  /** The only workspace that the key reaches; null if it reaches all workspaces of its user. */
  workspaceId: string | null;
  /**
   * The only project that the key reaches, for a run whose creator left; null for any other key.
   */
  projectId: string | null;
  /** The turn that the key is valid for; null for a key that belongs to no turn. */
  turnId: string | null;
  /** When the key stops being valid; null if it does not expire. */
  expiresAt: number | null;
}

/** The workspace and the project in which a request acts. */
export interface ActsIn {
  /** The workspace of the noun; null for a noun without one. */
  workspaceId: string | null;
  /** The project of the noun; null for a noun without one. */
  projectId: string | null;
  /** The role of the caller's user in it. */
  role: Role | null;
}

/** Returns the caller of a key; null if its user no longer exists. */
export function toCaller(key: Key, user: User | null, { workspaceId, projectId, role }: ActsIn): Caller | null {
  const sameWorkspace = workspaceId === null || key.workspaceId === workspaceId;
  const bound = {
    keyId: key.id,
    workspaceId: key.workspaceId,
    projectId: null,
    turnId: key.turnId,
    expiresAt: key.expiresAt,
  };
  // A cron continues to fire after its creator has left, so the key of its run remains valid
  // without its user.
  if (key.kind === "cron-run") {
    const sameProject = projectId === null || key.projectId === projectId;
    return toCronRunCaller(key, user, { ...bound, sameWorkspace, sameProject, role });
  }
  if (key.userId !== null && user === null) return null;
  switch (key.kind) {
    case "browser":
    case "api-key": {
      if (!user) return null;
      return { ...bound, facts: { kind: key.kind }, actor: { type: "member", user, role }, user };
    }
    case "agent": {
      const { sessionId } = key;
      if (key.workspaceId === null) return null;
      if (sessionId === null) {
        // The Lead belongs to no session and acts as the member who asked it.
        const facts = { kind: "agent", sameWorkspace, assigneeSentTurn: true } as const;
        return user && { ...bound, facts, actor: { type: "lead", user, role }, user };
      }
      const facts = { kind: "agent", sameWorkspace, assigneeSentTurn: user !== null } as const;
      return { ...bound, facts, actor: { type: "session-agent", sessionId, user, role }, user };
    }
    case "client": {
      if (!user) return null;
      const isWithin = key.workspaceId === null || sameWorkspace;
      const facts = { kind: "client", sameWorkspace: isWithin, scopes: key.scopes ?? [] } as const;
      return { ...bound, facts, actor: { type: "client-agent", user, role, client: key.clientName }, user };
    }
    case "relay": {
      if (key.workspaceId === null) return null;
      return { ...bound, facts: { kind: "relay", sameWorkspace }, actor: { type: "relay" }, user: null };
    }
  }
}

/** The id of the person who calls, from a browser or with an API key; null for any other caller. */
export function findPersonId({ facts, user }: Caller): string | null {
  return user !== null && (facts.kind === "browser" || facts.kind === "api-key") ? user.id : null;
}

/**
 * The agent that calls over MCP, with its own tokens, or with a person's API key and this name.
 * Null for any other caller.
 */
export function findClientAgent(caller: Caller, client: string | null): Caller | null {
  const { facts, actor } = caller;
  if (facts.kind === "client") return caller;
  if (facts.kind !== "api-key" || actor.type !== "member") return null;
  return { ...caller, actor: { ...actor, type: "client-agent", client } };
}

/**
 * The caller of a run's key: the cron's creator, with the lesser of the creator's role and the role
 * of the cron's last writer. Once either is no longer a member, the caller has no user and reaches
 * only the run's project.
 */
function toCronRunCaller(
  key: Key,
  creator: User | null,
  {
    sameWorkspace,
    sameProject,
    role,
    ...bound
  }: Pick<CronRunFacts, "sameWorkspace" | "sameProject"> &
    Pick<ActsIn, "role"> &
    Omit<Caller, "facts" | "actor" | "user">,
): Caller | null {
  const { cronId, turnId: runId, projectId, bounds } = key;
  if (key.workspaceId === null || cronId === null || runId === null || projectId === null || bounds === null)
    return null;
  const { writer: other, isAskedByAgent } = bounds;
  const user = findLesserRole(key.role, other === null ? key.role : key.writerRole) === null ? null : creator;
  const lesser = other === null ? role : findLesserRole(role, key.writerRole);
  const writer = writerToward(other);
  return {
    ...bound,
    projectId: user === null ? projectId : null,
    facts: { kind: "cron-run", sameWorkspace, sameProject, actsAsMember: user !== null, writer, isAskedByAgent },
    actor: { type: "cron-run", cronId, runId, user, role: user === null ? null : lesser, writer },
    user,
  };
}

function writerToward(other: RunBounds["writer"]): RunWriter {
  if (other === null) return "creator";
  return other.as === "person" ? "person" : "agent";
}

/** The caller as the actor of a message by `sender`. Only a relay names senders. */
export function toActorFor(
  { actor }: Pick<Caller, "actor">,
  sender: RelaySender | undefined,
): Caller["actor"] | Refusal {
  if (sender === undefined) return actor;
  return actor.type === "relay" ? { ...actor, sender } : refuse("FORBIDDEN", "Only a relay names a `sender`.");
}

/**
 * Refuses an Assignee from a caller without a user, because the Assignee pays for the session. Such
 * a caller is a relay, or an agent whose turn somebody else sent. A session that a cron run
 * files is assigned to the service (Part 2, "What the Cron Agent does").
 */
export function checkAssignment(
  { user, facts }: Pick<Caller, "user"> & { facts: Pick<CallerFacts, "kind"> },
  assigneeId: string | null | undefined,
): Refusal | null {
  if (facts.kind === "cron-run" && assigneeId !== undefined)
    return refuse(
      "FORBIDDEN",
      "The sessions of a cron run are the service's. Leave assigneeId out; a member assigns them.",
    );
  if (user !== null || assigneeId === null || assigneeId === undefined) return null;
  return refuse(
    "FORBIDDEN",
    "A caller that acts for no member cannot assign a session. Leave assigneeId out; a member assigns it.",
  );
}
