// A caller: whoever a request comes from, as far as a credential tells.

import type { Author } from "../session/session.ts";
import type { Role } from "./membership.ts";
import type { CallerFacts, CallerKind } from "./permission.ts";

export interface User {
  id: string;
  name: string;
  email: string;
  imageUrl: string | null;
}

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
  /** The user the caller acts as; null for a relay, and for an agent whose turn somebody other than the Assignee sent. */
  user: User | null;
  /** The one workspace that the credential reaches; null when its user's memberships say what it reaches. */
  workspaceId: string | null;
  /** The turn that the credential dies with; null for one that outlives turns. */
  turnId: string | null;
  /** Who a message of this caller is from. */
  author: Author;
}

/** Tells who shows a key, to a workspace or to none. Null when the key stands for nobody any more. */
export function callerOf(key: Key, user: User | null, actsIn: string | null): Caller | null {
  if (key.userId !== null && user === null) return null;
  const sameWorkspace = actsIn === null || key.workspaceId === actsIn;
  const bound = { keyId: key.id, workspaceId: key.workspaceId, turnId: key.turnId };
  switch (key.kind) {
    case "browser":
    case "api-key": {
      if (!user) return null;
      return { ...bound, facts: { kind: key.kind }, user, author: memberAuthor(user) };
    }
    case "agent": {
      if (key.workspaceId === null) return null;
      if (key.sessionId === null) {
        // The Lead works in no session, and acts for the member who asked it.
        const facts = { kind: "agent", sameWorkspace, assigneeSentTurn: true } as const;
        return user && { ...bound, facts, user, author: memberAuthor(user) };
      }
      const facts = { kind: "agent", sameWorkspace, assigneeSentTurn: user !== null } as const;
      return { ...bound, facts, user, author: { kind: "session", sessionId: key.sessionId } };
    }
    case "relay": {
      if (key.workspaceId === null) return null;
      return { ...bound, facts: { kind: "relay", sameWorkspace }, user: null, author: { kind: "relay" } };
    }
    // Nothing hands out keys of this kind.
    case "cron-run":
      return null;
  }
}

function memberAuthor({ id: userId, name, email, imageUrl }: User): Author {
  return { kind: "member", userId, name, email, imageUrl };
}
