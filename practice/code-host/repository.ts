// Creates bare repositories on disk, completely or not at all.
import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { promisify } from "node:util";
import { writeRepositoryId } from "./repository-id.ts";

/** A folder to copy, or files by path. */
export type RepositoryFiles = string | Record<string, string>;

const run = promisify(execFile);

// No garbage collection continues after a push, and fetches may use the features that code hosts
// allow.
const settings = [
  "gc.auto=0",
  "receive.autogc=false",
  "uploadpack.allowFilter=true",
  "uploadpack.allowAnySHA1InWant=true",
];
/** The author of the code host's own commits. */
export const author = ["user.name=Practice Code Host", "user.email=forge@practice.invalid"];

/** Creates a repository with one commit on `main`, unless it exists. */
export async function createRepository(
  repository: string,
  files: RepositoryFiles,
  scratch: string,
  env: Record<string, string>,
): Promise<void> {
  if (await exists(repository)) return;
  const work = await mkdtemp(join(scratch, "repository-"));
  try {
    const bare = join(work, "bare.git");
    const tree = typeof files === "string" ? resolve(files) : await writeTree(join(work, "tree"), files);
    const git = (...args: string[]) => run("git", args, { env, cwd: work });
    await git("init", "--quiet", "--bare", "--initial-branch=main", bare);
    const inTree = ["--git-dir", bare, "--work-tree", tree];
    await git(...inTree, "add", "--all", "--", tree);
    await git(
      ...author.flatMap((setting) => ["-c", setting]),
      ...inTree,
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "Initial commit",
    );
    await rm(join(bare, "index"), { force: true });
    await configure(bare, env);
    writeRepositoryId(bare);
    await mkdir(dirname(repository), { recursive: true });
    await rename(bare, repository).catch(async (error: unknown) => {
      // A concurrent call may have created it.
      if (!(await exists(repository))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Gives a bare repository the code host's settings. */
export async function configure(bare: string, env: Record<string, string>): Promise<void> {
  for (const setting of settings) {
    const [key = "", value = ""] = setting.split("=");
    await runGit(env, "--git-dir", bare, "config", key, value);
  }
}

/** Runs git and returns its trimmed output. Throws if it fails. */
export async function runGit(env: Record<string, string>, ...args: string[]): Promise<string> {
  return (await run("git", args, { env, maxBuffer: 1 << 28 })).stdout.trim();
}

/** True if the path exists. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function writeTree(folder: string, files: Record<string, string>): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const file = resolve(folder, path);
    if (!file.startsWith(folder + sep)) throw new Error(`a file lies outside of its repository: ${path}`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}
