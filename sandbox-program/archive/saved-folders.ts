// The folders of a sandbox that are saved: all except temporary files and files that every start
// creates again.
import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import type { RawPath } from "./layers/raw-path.ts";

const project = "project";
const unsaved = ["tmp", "skills", "plugins", "base-record", "save-record.json", "unfinished"];

/** True if the entry of this name in the sandbox's folder is saved. */
export function isSaved(name: RawPath): boolean {
  return name !== "" && name !== "." && name !== ".." && !unsaved.includes(name);
}

/**
 * The saved names in a folder. The project is last, because a sandbox with a project counts as
 * restored.
 */
export function listSavedNames(root: string): RawPath[] {
  const names = readdirSync(root, { encoding: "latin1" }).filter(isSaved);
  return names.toSorted((left, right) => Number(left === project) - Number(right === project));
}

/**
 * Refuses if the project, or another folder of the sandbox, is a link to an unsaved place, because
 * its work would be lost.
 */
export function requireSavable({ root, ...folders }: Folders): void {
  for (const folder of [folders.project, folders.state, folders.shared, folders.home]) {
    const place = linkedPlace(folder);
    if (place === null) continue;
    const [name = ""] = relative(realpathSync(root), place).split(sep);
    if (!isSaved(name))
      throw createRefusal("UNSAVABLE", `${relative(root, folder)} is a link to ${place}, which is not saved.`);
  }
}

/** The target of a link; null if the path is not a link or its target is missing. */
function linkedPlace(path: string): string | null {
  try {
    readlinkSync(path);
    return realpathSync(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
    throw error;
  }
}
