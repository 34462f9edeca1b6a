// A file of secrets in the checkout: JSON by their names. Its user alone can read it, and git
// ignores it.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { Stop } from "./stop.ts";

/** Writes the file anew. */
export function writeSecretFile(file: string, secrets: Readonly<Record<string, string>>): void {
  // A file that is there keeps its rights when it is written to.
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
}

/**
 * The secrets of the file; null without one. Throws `Stop` with what to do about one that is no
 * JSON.
 */
export function readSecretFile(file: string, help: string): Record<string, string> | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    throw new Stop(`${basename(file)} is no JSON. ${help}`);
  }
}
