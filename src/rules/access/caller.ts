// A caller: whoever a request comes from, as far as a credential tells.

import type { Sender } from "./actor.ts";
import type { Role, User } from "./membership.ts";
import type { CallerFacts, CallerKind } from "./permission.ts";

/** What is kept of a credential, beside its hash. */
export interface Key {
  id: string;
  kind: CallerKind;
  userId: string | null;
  /** Set for kinds that are bound to one workspace. */
  workspaceId: string | null;
  /** An agent's session; null for the Lead. */
  sessionId: string | null;
  /** The turn that an agent's token dies with. */
  turnId: string | null;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** What the key's user is in the workspace that the key is bound to. */
  role: Role | null;
}

export interface Caller {
  keyId: string;
  facts: CallerFacts;
  /** Who it is that changes what the request changes. */
  actor: Sender;
  /** The user the caller acts as; null for a relay, and for an agent whose turn somebody other than the Assignee sent. */
  user: User | null;
  /** The one workspace that the credential reaches; null when its user's memberships say what it reaches. */
  workspaceId: string | null;
  /** The turn that the credential dies with; null for one that outlives turns. */
  turnId: string | null;
}

/** Where a caller acts. */
export interface ActsIn {
  /** The workspace of the noun; null for what is no workspace's. */
  workspaceId: string | null;
  /** What the caller's user is there. */
  role: Role | null;
}

/** Tells who shows a key. Null when the key stands for nobody any more. */
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
        // The Lead works in no session, and acts for the member who asked it.
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
    // Nothing hands out keys of this kind.
    case "cron-run":
      return null;
  }
}
