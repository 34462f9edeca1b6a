// A deletion: a workspace, a project or a person disappears for everybody immediately, and what is
// left of it is deleted piece by piece after the response.
import type { DeletedPerson } from "./person.ts";

export const removedTypes = ["workspace", "project", "person"] as const;

/** The workspace, project or person that is deleted. */
export interface DeletionName {
  type: (typeof removedTypes)[number];
  id: string;
}

/** A project whose row has already been deleted. */
export interface DeletedProject {
  id: string;
  /** Null if only sessions of the project were found. */
  mainSandboxKey: string | null;
}

export interface Deletion extends DeletionName {
  /** The project itself, or all projects of the workspace. */
  projects: DeletedProject[];
  /** What names the deleted person elsewhere; null for the other types. */
  person: DeletedPerson | null;
  createdAt: number;
}

/**
 * A request that was authorized before the deletion may still create something. After this time, no
 * such request is left.
 */
export const lateArrivalMs = 60 * 60_000;
/** A pause in which other requests are served. Without it, a send takes three times as long. */
const betweenPagesMs = 50;
const retryMs = 2_000;

/**
 * The outcome of one page of a deletion: how many things were found, and how many of them are
 * deleted now.
 */
export interface DeletionPage {
  found: number;
  deleted: number;
}

/** Milliseconds until the next page; null if the deletion is complete. */
export function findNextPageMs(
  { createdAt }: Pick<Deletion, "createdAt">,
  page: DeletionPage,
  now: number,
): number | null {
  if (page.found > 0) return page.deleted > 0 ? betweenPagesMs : retryMs;
  const lateMs = createdAt + lateArrivalMs - now;
  return lateMs > 0 ? lateMs : null;
}
