// The owner of a session's sandbox.
import { type Refusal, refuse } from "../../rules/refusal.ts";
import type { SandboxOwner } from "../../rules/sandbox/sandbox.ts";
import { isOpen, type Session } from "../../rules/session/session.ts";
import type { Found } from "../../storage/queries/access.ts";

/** Refuses sessions that are not open, and sessions without a branch (Part 1, "Errors": BAD_REQUEST). */
export function ownerFound({ workspace, project, session }: Found<"session">): SandboxOwner | Refusal {
  if (session.branch === null || !isOpen(session.status)) {
    return refuse("BAD_REQUEST", "This session has no sandbox: it is in the Backlog or has ended.");
  }
  return {
    workspaceId: workspace.id,
    projectId: project.id,
    sessionId: session.id,
    branch: session.branch,
    baseBranch: session.targetBranch,
  };
}

/** The owner of the sandbox of a session that has been started. */
export function sessionSandboxOwner(session: Session): SandboxOwner {
  const { workspaceId, projectId, id: sessionId, branch, targetBranch: baseBranch } = session;
  return { workspaceId, projectId, sessionId, branch: branch ?? baseBranch, baseBranch };
}
