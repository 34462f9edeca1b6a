// The rest of a checkout in which an agent already begins: the older commits of a base or a clone,
// and the ignored folders of a base. Nothing but the program's own git acts in the checkout before
// it is whole and verified: no command, tool, save or action of a member.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { deleteFolder } from "./archive/folder-removal.ts";
import { listSavedNames } from "./archive/saved-folders.ts";
import { createFolders, type Folders } from "./folders.ts";
import { isThere } from "./presence.ts";
import { closeState } from "./process/users.ts";
import { getWall } from "./process/wall.ts";

type Progress = { type: "complete" } | { type: "arriving"; of: "clone" | "base" } | { type: "lost"; error: unknown };

let rest: Promise<unknown> = Promise.resolve();
let progress: Progress = { type: "complete" };

/** Records what the checkout still lacks. If that fails, nobody ever acts in the checkout. */
export function recordRest(of: "clone" | "base", arriving: Promise<unknown>): void {
  rest = arriving;
  progress = { type: "arriving", of };
  const end = (ended: Progress) => {
    if (rest === arriving) progress = ended;
  };
  arriving.then(
    () => end({ type: "complete" }),
    (error: unknown) => end({ type: "lost", error }),
  );
}

/** True for a repository without its older commits. */
export const isShallow = (project: string): boolean => isThere(join(project, ".git", "shallow"));

/** True while the program's own git fetches the older commits of the checkout. */
export const isFetchingHistory = (): boolean => progress.type === "arriving" && progress.of === "clone";

/**
 * Waits until the checkout is whole. Rejects if it never will be, and if the signal is aborted
 * meanwhile.
 */
export async function waitUntilWhole(signal?: AbortSignal): Promise<void> {
  await rest;
  signal?.throwIfAborted();
}

/** Throws the reason if the rest will never come. */
export function checkRest(): void {
  if (progress.type === "lost") throw progress.error;
}

/**
 * Empties the sandbox if a killed program or a killed archiver has left a part of a checkout. What
 * the sandbox had saved before is still in storage.
 */
export async function deleteUnfinished(folders: Folders): Promise<void> {
  if (!isThere(folders.unfinished)) return;
  for (const name of listSavedNames(folders.root)) await deleteFolder(join(folders.root, name));
  createFolders(folders.root);
  if (getWall() === "users") closeState(folders);
  rmSync(folders.unfinished, { force: true });
}
