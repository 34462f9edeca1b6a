// The permissions of each user and of the app in a repository: write, unless somebody with full
// access has changed it.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = "practice-permissions.json";
const withoutApp = "practice-without-app";
const withheldFile = "practice-withheld.json";

export const permissions = ["none", "read", "write"] as const;
export type Permission = (typeof permissions)[number];

/**
 * Stored in the repository's folder, so that a new repository with the same name starts without
 * them.
 */
export function readPermission(folder: string, login: string): Permission {
  return readPermissions(folder)[login.toLowerCase()] ?? "write";
}

export function writePermission(folder: string, login: string, permission: Permission): void {
  writeFileSync(join(folder, file), JSON.stringify({ ...readPermissions(folder), [login.toLowerCase()]: permission }));
}

function readPermissions(folder: string): Record<string, Permission> {
  try {
    return JSON.parse(readFileSync(join(folder, file), "utf8"));
  } catch {
    return {};
  }
}

/** False for a repository that is closed to the app. */
export function hasApp(folder: string): boolean {
  return !existsSync(join(folder, withoutApp));
}

export function writeApp(folder: string, isInstalled: boolean, withheld: readonly string[]): void {
  if (isInstalled) rmSync(join(folder, withoutApp), { force: true });
  else writeFileSync(join(folder, withoutApp), "");
  writeFileSync(join(folder, withheldFile), JSON.stringify(withheld));
}

/** The permissions that the app lacks there. */
export function readWithheld(folder: string): string[] {
  try {
    return JSON.parse(readFileSync(join(folder, withheldFile), "utf8"));
  } catch {
    return [];
  }
}
