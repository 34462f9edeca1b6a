// The remote `switchyard` of the user's own folder. `git fetch switchyard` fetches what sessions
// have pushed. It is a path on this machine, so it works while nothing runs, and contains no
// credential.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { getGitEnvironment } from "../code-host/git-environment.ts";

const run = promisify(execFile);
const name = "switchyard";

/** The command that adds the remote. */
export function formatRemoteCommand(folder: string, repositoryFolder: string): string {
  return `git -C ${formatShellWord(folder)} remote add ${name} ${formatShellWord(repositoryFolder)}`;
}

/** The URL of the folder's remote; null if it has none. */
export async function findRemote(folder: string): Promise<string | null> {
  const env = getGitEnvironment(folder);
  const asked = run("git", ["-C", folder, "config", "--get", `remote.${name}.url`], { env });
  return await asked.then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/** Adds the remote unless it exists. Returns a message if the existing one has another URL. */
export async function addRemote(folder: string, repositoryFolder: string): Promise<string | null> {
  const present = await findRemote(folder);
  if (present === repositoryFolder) return null;
  if (present !== null) {
    return `The remote ${name} of ${folder} leads to ${present}. Remove it first: git -C ${formatShellWord(folder)} remote remove ${name}`;
  }
  await run("git", ["-C", folder, "remote", "add", name, repositoryFolder], { env: getGitEnvironment(folder) });
  return null;
}

/** A path as a word of a shell command. */
export function formatShellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
