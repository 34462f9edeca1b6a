// The filters of the activity feed, as the address has them.
export interface ActivitySearch {
  /** Whether the service observed it, or a member did it. */
  kind?: "change" | "action";
  /** The id of a workspace. */
  workspace?: string;
  /** The id of a project. */
  project?: string;
}

/** Reads the filters of an address. What is no filter is left out. */
export function readActivitySearch({ kind, workspace, project }: Record<string, unknown>): ActivitySearch {
  return {
    ...(kind === "change" || kind === "action" ? { kind } : {}),
    ...(typeof workspace === "string" && workspace ? { workspace } : {}),
    ...(typeof project === "string" && project ? { project } : {}),
  };
}

/** True if the feed leaves out no event of its workspaces. A mark counts for those, too. */
export const mayMarkSeen = ({ kind, project }: ActivitySearch): boolean => kind === undefined && project === undefined;
