// The check of a state folder before a start, which changes nothing in one of an earlier version.
import { readFile } from "node:fs/promises";
import { EarlierState } from "./migrations.ts";

/**
 * The format of state folders, which their `dev.json` names. It stays the same while later versions
 * can read the folder, and earlier ones too, at a rollback. Folders of 0.x name none.
 */
export const stateFormat = 1;

/** Returns why a start cannot use a state folder, or null. */
export async function checkStateFolder(stateDir: string): Promise<string | null> {
  const format = await readFormat(stateDir);
  return format === null || format === stateFormat ? null : new EarlierState().message;
}

/** Null without a `dev.json`, or if the last run was killed while it wrote the file. */
async function readFormat(stateDir: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(`${stateDir}/dev.json`, "utf8")).format ?? "none";
  } catch {
    return null;
  }
}
