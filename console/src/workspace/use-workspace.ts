// The workspace of the page, which its frame has read.
import { createContext, useContext } from "react";
import type { Workspace } from "./queries.ts";
import { type Access, isAtLeast } from "./roles.ts";

export const WorkspaceContext = createContext<Workspace | null>(null);

/** The workspace, and whether the person may do what needs a role. */
export function useWorkspace() {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error("This part is drawn without the frame of its workspace.");
  return { workspace, may: (needed: Access) => isAtLeast(workspace.role, needed) };
}
