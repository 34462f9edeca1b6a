// The check of a state folder before a start, which changes nothing in one of an earlier version.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { EarlierState } from "./migrations.ts";

/**
 * The format of state folders, which their `dev.json` names. It stays the same while later versions
 * can read the folder, and earlier ones too, at a rollback. Folders of 0.x name none.
 */
export const stateFormat = 1;

/** The keys of a public service, in its state folder. */
export const publicKeysFile = "service-keys.json";

/**
 * Returns why a start cannot use a state folder, or null. The demo world's people have keys that
 * are in its files, and sign in without a proof, so no public service shares a folder with it.
 */
export async function checkStateFolder(stateDir: string, isPublic = false): Promise<string | null> {
  const last = await readLastRun(stateDir);
  const [hasDemo, hasPublic] = [`${stateDir}/secrets.json`, `${stateDir}/${publicKeysFile}`].map(existsSync);
  if (last && last.format !== stateFormat) return new EarlierState().message;
  if (isPublic && hasDemo)
    return `${stateDir} has a practice world, whose people need no password. Set STATE_DIR to another folder.`;
  if (!isPublic && hasPublic)
    return `${stateDir} has a public service, which starts with \`npm start -- --public https://HOST\`. Set STATE_DIR to another folder.`;
  return null;
}

/** Null without a `dev.json`, or if the last run was killed while it wrote the file. */
async function readLastRun(stateDir: string): Promise<{ format?: unknown } | null> {
  try {
    return JSON.parse(await readFile(`${stateDir}/dev.json`, "utf8"));
  } catch {
    return null;
  }
}
