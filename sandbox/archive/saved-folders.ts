// What is saved of a sandbox: all that is in its folder, but for what may be lost and what every wake makes anew.
import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import type { Folders } from "../folders.ts";
import { refusal } from "../http/refusal.ts";
import type { RawPath } from "./layers/raw-path.ts";

const project = "project";
const unsaved = ["tmp", "base-record.jsonl"];

/** True for what is saved of the sandbox's folder, by its name there. */
export function isSaved(name: RawPath): boolean {
  return name !== "" && name !== "." && name !== ".." && !unsaved.includes(name);
}

/** What is saved of a folder, by name; the project comes last, for with it a sandbox is no longer empty. */
export function savedNames(root: string): RawPath[] {
  const names = readdirSync(root, { encoding: "latin1" }).filter(isSaved);
  return names.toSorted((left, right) => Number(left === project) - Number(right === project));
}

/** Refuses while the project, or another folder of the sandbox's own, is a link to what is not saved: its work would be left behind. */
export function requireSavable({ root, ...folders }: Folders): void {
  for (const folder of [folders.project, folders.state, folders.shared, folders.home]) {
    const place = linkedPlace(folder);
    if (place === null) continue;
    const [name = ""] = relative(realpathSync(root), place).split(sep);
    if (!isSaved(name))
      throw refusal("UNSAVABLE", `${relative(root, folder)} is a link to ${place}, which is not saved.`);
  }
}

/** Where a link leads; null for what is none, and for one that leads nowhere. */
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
