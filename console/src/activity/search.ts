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

/** Says that the feed is empty: nothing happened, or the filters leave out what did. */
export const describeNothing = (search: ActivitySearch): string =>
  isFiltered(search)
    ? "Nothing fits in the last 30 days."
    : "Nothing has happened in the last 30 days. What your team and the agents do is listed here.";

export const isFiltered = (search: ActivitySearch): boolean => Object.keys(search).length > 0;

/** True if the feed leaves out no event of its workspaces. A mark counts for those, too. */
export const mayMarkSeen = ({ kind, project }: ActivitySearch): boolean => kind === undefined && project === undefined;
