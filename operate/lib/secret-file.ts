// A file of secrets in the checkout: JSON, by name. Only its user can read it, and git ignores it.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { Stop } from "./exit.ts";

/**
 * Replaces the file. If the process is killed, the file has the old secrets or the new ones: it may
 * be the only place that has them.
 */
export function writeSecretFile(file: string, secrets: Readonly<Record<string, string>>): void {
  const next = `${file}.next`;
  // Writing to an existing file would keep its permissions.
  rmSync(next, { force: true });
  const opened = openSync(next, "wx", 0o600);
  try {
    writeSync(opened, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(next, file);
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
