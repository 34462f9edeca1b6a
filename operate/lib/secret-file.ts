// A file of secrets in the checkout: JSON, by name. Only its user can read it, and git ignores it.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Stop } from "./exit.ts";

/** Replaces the file. */
export function writeSecretFile(file: string, secrets: Readonly<Record<string, string>>): void {
  // Writing to an existing file would keep its permissions.
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
}

/**
 * Reads the secrets of the file; null if it does not exist. Throws `Stop` with what to do if it is
 * not JSON.
 */
export function readSecretFile(file: string, help: string): Record<string, string> | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Stop(`${basename(file)} is no JSON. ${help}`);
  }
}
