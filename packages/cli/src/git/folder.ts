// What the folder of a checkout says: the repository of its remote, and its branch.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

async function runGit(...args: string[]): Promise<string | null> {
  try {
    return (await promisify(execFile)("git", args, { timeout: 5_000 })).stdout.trim() || null;
  } catch {
    return null;
  }
}

/** The `owner/name` of an address of a repository; null if it has none. */
export function parseRepository(remote: string): string | null {
  const [, owner, name] = /[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(remote) ?? [];
  return owner && name ? `${owner}/${name}` : null;
}

/** The repository of the folder; null outside of a checkout with a remote. */
export async function findFolderRepository(): Promise<string | null> {
  const remote = await runGit("remote", "get-url", "origin");
  return remote === null ? null : parseRepository(remote);
}

/** Where git has the project of a folder without a remote, which `sy checkout` made. */
export const projectSetting = "switchyard.project";

/** What names the project of the folder: its id, or its repository. */
export async function findFolderProject(): Promise<string | null> {
  return (await runGit("config", projectSetting)) ?? (await findFolderRepository());
}

/** The branch of the folder; null outside of a checkout. */
export async function findFolderBranch(): Promise<string | null> {
  return await runGit("branch", "--show-current");
}
