// The GitHub App that was made and is not deployed yet. Its secrets wait in a file that only its user can read, until they are in the Worker.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stop } from "./stop.ts";

const file = (root: string) => join(root, ".github-app.json");

/** Keeps the secrets of an App for the next deployment. */
export function keepMadeApp(root: string, secrets: Readonly<Record<string, string>>): void {
  // A file that is there keeps its rights when it is written to.
  rmSync(file(root), { force: true });
  writeFileSync(file(root), JSON.stringify(secrets, null, 2), { mode: 0o600 });
}

/** The secrets that wait; none without an App. */
export function madeApp(root: string): Record<string, string> {
  return existsSync(file(root)) ? readMade(readFileSync(file(root), "utf8")) : {};
}

function readMade(text: string): Record<string, string> {
  try {
    return JSON.parse(text);
  } catch {
    throw new Stop(
      ".github-app.json is no JSON. Make new secrets for the App at GitHub, give them as variables, and delete the file.",
    );
  }
}

/** Deletes what waited, once it is in the Worker. */
export function forgetMadeApp(root: string): void {
  rmSync(file(root), { force: true });
}
