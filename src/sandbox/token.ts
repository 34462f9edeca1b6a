// A sandbox's token: what it shows where a credential would stand. A turn token names one turn, a task token one task between turns, of
// one sandbox generation. Neither opens anything but what the service has for sandboxes, under `/internal`.
import type { GitAccess } from "../rules/chat/agent-profile.ts";
import type { TurnOwner } from "../rules/chat/turn-owner.ts";
import type { ModelGrant } from "../rules/model/model-grant.ts";
import { type SigningKeys, sign, verify } from "../signing.ts";

export interface SandboxToken {
  workspaceId: string;
  projectId: string;
  sandboxKey: string;
  generation: number;
  /** Whose turn it is, or for whom the task is done. Null on a task token of a sandbox that works for nobody. */
  owner: TurnOwner | null;
  /** What the git gateway does for it. */
  git: GitAccess;
  /** The one branch that it may push, as its owner's. */
  branch: string;
  /** Null on a task token, as for a clone or a member's push, which no model call belongs to. */
  turnId: string | null;
  /** Whose push it is, on a member's task token. */
  memberId?: string;
  /**
   * The model that the turn or the compaction may call. Missing on a task token, which calls none,
   * and on a turn's from before grants, which may call any.
   */
  model?: ModelGrant;
  /** On the token that the agent's commands carry, which anything in the checkout can read: it opens the git gateway alone. */
  isForGit?: true;
}

export type TurnToken = SandboxToken & { turnId: string; owner: TurnOwner };

/** A token that was signed before turns had owners: a session's, which may push. */
type SessionToken = Omit<SandboxToken, "owner" | "git"> & { sessionId: string };

/** True for the token of a turn itself, which opens every endpoint for sandboxes; any other opens the git gateway alone. */
export function isTurnToken(token: SandboxToken | null): token is TurnToken {
  return token !== null && token.turnId !== null && token.owner !== null && token.isForGit !== true;
}

/** How long a task may take. */
export const taskTokenLifetimeMs = 15 * 60_000;

export function issueToken(keys: SigningKeys, token: SandboxToken, expiresAt: number): Promise<string> {
  return sign(keys, "pass", token, expiresAt);
}

/** Finds the token in a bearer credential, an `x-api-key`, or the password of basic credentials. Null when there is no valid one. */
export async function readToken(keys: SigningKeys, headers: Headers, now: number): Promise<SandboxToken | null> {
  const shown = shownCredential(headers);
  const token = shown === null ? null : await verify<SandboxToken | SessionToken>(keys, "pass", shown, now);
  return token && withOwner(token);
}

function withOwner(token: SandboxToken | SessionToken): SandboxToken {
  if (!("sessionId" in token)) return token;
  const { sessionId, ...rest } = token;
  return { ...rest, owner: { type: "session", id: sessionId }, git: "push" };
}

function shownCredential(headers: Headers): string | null {
  const [scheme = "", credential = ""] = (headers.get("authorization") ?? "").split(" ");
  switch (scheme.toLowerCase()) {
    case "bearer":
      return credential;
    case "basic":
      return passwordOf(credential);
    default:
      return headers.get("x-api-key");
  }
}

function passwordOf(basic: string): string | null {
  try {
    return atob(basic).split(":")[1] ?? null;
  } catch {
    return null;
  }
}
