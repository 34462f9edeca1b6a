// A caller: the sender of a request, from its key.

import { type Refusal, refuse } from "../refusal.ts";
import type { Sender } from "./actor.ts";
import type { Role, User } from "./membership.ts";
import type { CallerFacts, CallerKind } from "./permission.ts";

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
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** The role of the key's user in the workspace that the key is bound to. */
  role: Role | null;
}

export interface Caller {
  keyId: string;
  facts: CallerFacts;
  /** The actor of the changes that the request makes. */
  actor: Sender;
  /** The user that the caller acts as; null for a relay, and for an agent whose turn was not sent by the Assignee. */
  user: User | null;
  /** The only workspace that the key reaches; null if it reaches all workspaces of its user. */
  workspaceId: string | null;
  /** The turn that the key is valid for; null for a key that belongs to no turn. */
  turnId: string | null;
}

/** The workspace that a request acts in. */
export interface ActsIn {
  /** The workspace of the noun; null for a noun without one. */
  workspaceId: string | null;
  /** The role of the caller's user in it. */
  role: Role | null;
}

/** Returns the caller of a key; null if its user no longer exists. */
export function callerOf(key: Key, user: User | null, { workspaceId, role }: ActsIn): Caller | null {
  if (key.userId !== null && user === null) return null;
  const sameWorkspace = workspaceId === null || key.workspaceId === workspaceId;
  const bound = { keyId: key.id, workspaceId: key.workspaceId, turnId: key.turnId };
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
    case "relay": {
      if (key.workspaceId === null) return null;
      return { ...bound, facts: { kind: "relay", sameWorkspace }, actor: { type: "relay" }, user: null };
    }
    // No keys of this kind are issued.
    case "cron-run":
      return null;
  }
}

/** A caller without a user cannot assign a session, because the Assignee pays for it: an agent whose turn somebody else sent, or a relay. */
export function mayBook({ user }: Pick<Caller, "user">, assigneeId: string | null | undefined): Refusal | null {
  if (user !== null || assigneeId === null || assigneeId === undefined) return null;
  return refuse(
    "FORBIDDEN",
    "A caller that acts for no member books a session to nobody. Leave assigneeId out; a member assigns it.",
  );
}
