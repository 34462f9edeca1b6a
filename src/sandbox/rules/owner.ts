// The owner of a sandbox: what it is for, and the branches that its checkout is made from.
import type { TurnOwner } from "../../chat/rules/chat.ts";
import type { Session } from "../../session/rules/session.ts";
import { isEnded, isOpen, type SessionStatus } from "../../session/rules/status.ts";

export const sandboxOwnerTypes = ["session", "main", "spare"] as const;

export interface SandboxOwner {
  /** A session, a project (its main sandbox), or a spare for a future session. */
  type: (typeof sandboxOwnerTypes)[number];
  /** The id of the session, project or spare. */
  id: string;
  workspaceId: string;
  projectId: string;
  branch: string;
  baseBranch: string;
  /**
   * A missing checkout is cloned and set up even if a base exists, because a Deploy tests the
   * setup.
   */
  isFresh?: boolean;
  /** True before the first checkout of a session: the code host has no branch of it yet. */
  isNew?: boolean;
}

export type SandboxedSession = Pick<Session, "id" | "workspaceId" | "projectId" | "branch" | "targetBranch" | "status">;

/**
 * The owner of a session's sandbox. Null if the session cannot have a sandbox: in the Backlog, and
 * after it has ended.
 */
export function findSessionSandboxOwner(session: SandboxedSession): SandboxOwner | null {
  const { id, workspaceId, projectId, branch, targetBranch: baseBranch, status } = session;
  return branch === null || !isOpen(status)
    ? null
    : { type: "session", id, workspaceId, projectId, branch, baseBranch };
}

export function isSameOwner(one: SandboxOwner, other: SandboxOwner): boolean {
  return one.type === other.type && one.id === other.id;
}

/**
 * The owner of the turns in the sandbox, which receives the events of the checkout. Null for a
 * sandbox without one.
 */
export function findTurnOwner({ type, id }: Pick<SandboxOwner, "type" | "id">): TurnOwner | null {
  switch (type) {
    case "session":
      return { type: "session", id };
    case "main":
      return { type: "project", id };
    case "spare":
      return null;
  }
}

/** The owner of a main sandbox. It works on the Target Branch itself, and pushes nothing. */
export function getMainSandboxOwner(project: { id: string; workspaceId: string; targetBranch: string }): SandboxOwner {
  const { id, workspaceId, targetBranch } = project;
  return { type: "main", id, workspaceId, projectId: id, branch: targetBranch, baseBranch: targetBranch };
}

/**
 * The owner of a spare, whose id is its sandbox key. It works on a branch that no session or main
 * sandbox has.
 */
export function getSpareSandboxOwner(
  project: { id: string; workspaceId: string; targetBranch: string },
  sandboxKey: string,
): SandboxOwner {
  const { id: projectId, workspaceId, targetBranch: baseBranch } = project;
  return {
    type: "spare",
    id: sandboxKey,
    workspaceId,
    projectId,
    branch: `switchyard/spare-${sandboxKey}`,
    baseBranch,
  };
}

/** True if a session may claim the spare. */
export function mayAdopt(spare: SandboxOwner, session: SandboxOwner): boolean {
  return (
    spare.type === "spare" &&
    session.type === "session" &&
    spare.workspaceId === session.workspaceId &&
    spare.projectId === session.projectId &&
    spare.baseBranch === session.baseBranch
  );
}

/**
 * The message for a request that needs a running sandbox when none is running. Says what to do,
 * depending on the status of the session.
 */
export function formatAsleep(status: SessionStatus): string {
  if (status === "backlog") return "A session in the Backlog has no sandbox until it is activated.";
  if (isEnded(status)) return "This session has ended, so it no longer has a sandbox.";
  return "The sandbox is not running. Request the preview to wake it, then try again.";
}
