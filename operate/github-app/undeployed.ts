// The GitHub App that was created but is not deployed yet. Its secrets wait in a file until they
// are in the Worker.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readSecretFile, writeSecretFile } from "../lib/secret-file.ts";

const file = (root: string) => join(root, ".github-app.json");

/** Saves the secrets of an App for the next deployment. */
export function saveCreatedApp(root: string, secrets: Readonly<Record<string, string>>): void {
  writeSecretFile(file(root), secrets);
}

/** The waiting secrets; empty without an App. */
export function loadCreatedApp(root: string): Record<string, string> {
  const help = "Make new secrets for the App at GitHub, give them as variables, and delete the file.";
  return readSecretFile(file(root), help) ?? {};
}

/** Deletes the waiting secrets, once they are in the Worker. */
export function deleteCreatedApp(root: string): void {
  rmSync(file(root), { force: true });
}
