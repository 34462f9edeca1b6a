// The owner of a sandbox: what it is for, and the branches that its checkout is made from.
import type { TurnOwner } from "../chat/turn-owner.ts";
import type { Session } from "../session/session.ts";
import { isOpen } from "../session/status.ts";

export const sandboxOwnerTypes = ["session", "main", "spare"] as const;

export interface SandboxOwner {
  /** A session's, the main sandbox of a project, or one that is kept ready for a session to come. */
  type: (typeof sandboxOwnerTypes)[number];
  /** Of the session, of the project, or of the spare. */
  id: string;
  workspaceId: string;
  projectId: string;
  branch: string;
  baseBranch: string;
}

export type SandboxedSession = Pick<Session, "id" | "workspaceId" | "projectId" | "branch" | "targetBranch" | "status">;

/** The owner of a session's sandbox. Null where the session can have none: in the Backlog, and once it has ended. */
export function sessionSandboxOwner(session: SandboxedSession): SandboxOwner | null {
  const { id, workspaceId, projectId, branch, targetBranch: baseBranch, status } = session;
  return branch === null || !isOpen(status)
    ? null
    : { type: "session", id, workspaceId, projectId, branch, baseBranch };
}

export function isSameOwner(one: SandboxOwner, other: SandboxOwner): boolean {
  return one.type === other.type && one.id === other.id;
}

/** The owner of the turns in the sandbox. It gets the events of the checkout; null for a sandbox without one. */
export function turnOwnerOf({ type, id }: Pick<SandboxOwner, "type" | "id">): TurnOwner | null {
  return type === "session" ? { type: "session", id } : null;
}
