// A removal: a workspace or a project is deleted for everybody at once, and what it held goes piece
// by piece behind the answer.

export const removedTypes = ["workspace", "project"] as const;

/** Names what is removed. */
export interface RemovalName {
  type: (typeof removedTypes)[number];
  id: string;
}

/** A project whose row is deleted already. */
export interface RemovedProject {
  id: string;
  /** Null where only sessions of the project were found. */
  mainSandboxKey: string | null;
}

export interface Removal extends RemovalName {
  /** The project itself, or all projects of the workspace. */
  projects: RemovedProject[];
  createdAt: number;
}

/**
 * A request that was let through before the deletion may still create something; after this nothing
 * comes any more.
 */
export const lateArrivalMs = 60 * 60_000;
/** A rest in which others are served: without it a send takes three times as long. */
const betweenPagesMs = 50;
const retryMs = 2_000;

/**
 * What one look at a removal came to: how many things were there, and how many of them are gone
 * now.
 */
export interface RemovalPage {
  found: number;
  removed: number;
}

/** Milliseconds until the next look; null if the removal is over. */
export function nextLook({ createdAt }: Pick<Removal, "createdAt">, page: RemovalPage, now: number): number | null {
  if (page.found > 0) return page.removed > 0 ? betweenPagesMs : retryMs;
  const lateMs = createdAt + lateArrivalMs - now;
  return lateMs > 0 ? lateMs : null;
}
