// What each person may do in a repository of the forge, and the app: write, unless somebody with
// all rights has said otherwise.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = "practice-permissions.json";
const withoutApp = "practice-without-app";

export const permissions = ["none", "read", "write"] as const;
export type Permission = (typeof permissions)[number];

/** They are kept with the repository, which one that is made anew under its name has nothing of. */
export function permissionIn(folder: string, login: string): Permission {
  return permissionsIn(folder)[login.toLowerCase()] ?? "write";
}

export function setPermission(folder: string, login: string, permission: Permission): void {
  writeFileSync(join(folder, file), JSON.stringify({ ...permissionsIn(folder), [login.toLowerCase()]: permission }));
}

function permissionsIn(folder: string): Record<string, Permission> {
  try {
    return JSON.parse(readFileSync(join(folder, file), "utf8"));
  } catch {
    return {};
  }
}

/** False for a repository that is not opened to the app. */
export function hasApp(folder: string): boolean {
  return !existsSync(join(folder, withoutApp));
}

export function setApp(folder: string, isInstalled: boolean): void {
  if (isInstalled) rmSync(join(folder, withoutApp), { force: true });
  else writeFileSync(join(folder, withoutApp), "");
}
