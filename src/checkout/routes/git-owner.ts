// The owner of a session's sandbox.

import type { Found } from "../../access/queries.ts";
import { type Refusal, refuse } from "../../rules/refusal.ts";
import { type SandboxOwner, sessionSandboxOwner } from "../../rules/sandbox/owner.ts";

/** Refuses sessions that are not open, and sessions without a branch (Part 1, "Errors": BAD_REQUEST). */
export function requireSandboxOwner({ workspace, project, session }: Found<"session">): SandboxOwner | Refusal {
  const owner = sessionSandboxOwner({ ...session, workspaceId: workspace.id, projectId: project.id });
  return owner ?? refuse("BAD_REQUEST", "This session has no sandbox: it is in the Backlog or has ended.");
}
