// The rest of a checkout in which an agent already begins: the ignored folders of a base, or the
// older commits of a clone. Nothing but the program's own git acts in the checkout before it is
// whole and verified: no command, tool, save or action of a member.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { deleteFolder } from "./archive/folder-removal.ts";
import { listSavedNames } from "./archive/saved-folders.ts";
import { createFolders, type Folders } from "./folders.ts";
import { isThere } from "./presence.ts";
import { closeState } from "./process/users.ts";
import { getWall } from "./process/wall.ts";

let rest: Promise<unknown> = Promise.resolve();
let isComplete = true;

/** Records what the checkout still lacks. If that fails, nobody ever acts in the checkout. */
export function recordRest(arriving: Promise<unknown>): void {
  rest = arriving;
  isComplete = false;
  const complete = () => {
    if (rest === arriving) isComplete = true;
  };
  arriving.then(complete, () => {});
}

/** False while the rest is on its way, and if it never came. */
export const isWhole = (): boolean => isComplete;

/** Waits until the checkout is whole. Rejects if it never will be. */
export async function waitUntilWhole(): Promise<void> {
  await rest;
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
