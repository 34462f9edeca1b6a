// What has been unpacked of saved work and is not in force yet, because the base that it stands on is still to come.
import { existsSync, readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Folders } from "../../folders.ts";
import { removeFolder } from "../folder-removal.ts";
import type { BaseName } from "./layer.ts";
import type { RawPath } from "./raw-path.ts";
import type { EntryPlace } from "./tar-entry.ts";

export interface Unpacked {
  base: BaseName;
  /** Paths that the base has no say in: the work holds them, or has removed them. */
  settled: RawPath[];
  folders: FolderPlace[];
}

/** A folder is closed behind the last file in it: its mode may forbid to write there, and each file changes its time. */
export type FolderPlace = Pick<EntryPlace, "path" | "mode" | "modifiedAt">;

export const unpackedFolder = (folders: Folders) => join(folders.tmp, "archive");
const recordFile = (folders: Folders) => join(folders.tmp, "archive.json");

export async function keepUnpacked(folders: Folders, unpacked: Unpacked): Promise<void> {
  await writeFile(recordFile(folders), JSON.stringify(unpacked));
}

/** Null when nothing waits for a base. */
export function readUnpacked(folders: Folders): Unpacked | null {
  return existsSync(recordFile(folders)) ? JSON.parse(readFileSync(recordFile(folders), "utf8")) : null;
}

/** Removes what is not in force. */
export async function dropUnpacked(folders: Folders): Promise<void> {
  await rm(recordFile(folders), { force: true });
  await removeFolder(unpackedFolder(folders));
}
