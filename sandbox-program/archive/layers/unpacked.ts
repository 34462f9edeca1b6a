// Unpacked work that waits for its base before it is applied.
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../../folders.ts";
import { isThere } from "../../presence.ts";
import { deleteFolder } from "../folder-removal.ts";
import type { PrebuildName } from "./layer.ts";
import type { RawPath } from "./raw-path.ts";
import type { EntryPlace } from "./tar-entry.ts";

export interface Unpacked {
  base: PrebuildName;
  /** Paths that the base must not restore, because the work contains or has deleted them. */
  settled: RawPath[];
  folders: FolderPlace[];
}

/**
 * Modes and times are set after the last file: the mode may forbid writing, and each file changes
 * the folder's time.
 */
export type FolderPlace = Pick<EntryPlace, "path" | "mode" | "modifiedAt">;

export const getUnpackedFolder = (folders: Folders) => join(folders.tmp, "archive");
const recordFile = (folders: Folders) => join(folders.tmp, "archive.json");

export async function saveUnpacked(folders: Folders, unpacked: Unpacked): Promise<void> {
  await writeFile(recordFile(folders), JSON.stringify(unpacked));
}

/** Null if no work waits for a base. */
export function readUnpacked(folders: Folders): Unpacked | null {
  return isThere(recordFile(folders)) ? JSON.parse(readFileSync(recordFile(folders), "utf8")) : null;
}

/** Deletes unpacked work that is not applied. */
export async function deleteUnpacked(folders: Folders): Promise<void> {
  await rm(recordFile(folders), { force: true });
  await deleteFolder(getUnpackedFolder(folders));
}
