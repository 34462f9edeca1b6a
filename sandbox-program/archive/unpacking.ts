// The rest of a base, which is unpacked while an agent already begins in the checkout. Nothing but
// the program's own git acts in the checkout before it is whole and verified: no command, tool,
// save or action of a member.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createFolders, type Folders } from "../folders.ts";
import { isThere } from "../presence.ts";
import { closeState } from "../process/users.ts";
import { getWall } from "../process/wall.ts";
import { deleteFolder } from "./folder-removal.ts";
import { listSavedNames } from "./saved-folders.ts";

let unpacking: Promise<unknown> = Promise.resolve();

/** Records what is being unpacked. If that fails, nobody ever acts in the checkout. */
export function recordUnpacking(whole: Promise<unknown>): void {
  unpacking = whole;
  whole.catch(() => {});
}

/** Waits until the sandbox is whole. Rejects if it never will be. */
export async function waitUntilUnpacked(): Promise<void> {
  await unpacking;
}

/**
 * Empties the sandbox if a killed program or a killed archiver has left a part of a base. What the
 * sandbox had saved before is still in storage.
 */
export async function deleteUnfinished(folders: Folders): Promise<void> {
  if (!isThere(folders.unpacking)) return;
  for (const name of listSavedNames(folders.root)) await deleteFolder(join(folders.root, name));
  createFolders(folders.root);
  if (getWall() === "users") closeState(folders);
  rmSync(folders.unpacking, { force: true });
}
