// The rest of a checkout in which an agent already begins: the ignored folders of a base, which are
// still being unpacked. Nothing but the program's own git acts in the checkout before it is whole
// and verified: no command, tool, save or action of a member.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { deleteFolder } from "./archive/folder-removal.ts";
import { listSavedNames } from "./archive/saved-folders.ts";
import { createFolders, type Folders } from "./folders.ts";
import { isThere } from "./presence.ts";
import { closeState } from "./process/users.ts";
import { getWall } from "./process/wall.ts";

let rest: Promise<unknown> = Promise.resolve();

/** Records what the checkout still lacks. If that fails, nobody ever acts in the checkout. */
export function recordRest(arriving: Promise<unknown>): void {
  rest = arriving;
  arriving.catch(() => {});
}

/** Waits until the checkout is whole. Rejects if it never will be. */
export async function waitUntilWhole(): Promise<void> {
  await rest;
}

/**
 * Empties the sandbox if a killed program or a killed archiver has left a part of a base. What the
 * sandbox had saved before is still in storage.
 */
export async function deleteUnfinished(folders: Folders): Promise<void> {
  if (!isThere(folders.unfinished)) return;
  for (const name of listSavedNames(folders.root)) await deleteFolder(join(folders.root, name));
  createFolders(folders.root);
  if (getWall() === "users") closeState(folders);
  rmSync(folders.unfinished, { force: true });
}
