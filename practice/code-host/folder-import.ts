// Imports a folder's branches and tags into a repository of the code host: first all of them, later
// what is new. The folder is only read.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { getBranchMove, type Relation } from "./branch-move.ts";
import { getGitEnvironment } from "./git-environment.ts";
import { configure, exists, runGit } from "./repository.ts";
import { writeRepositoryId } from "./repository-id.ts";

export interface FolderImport {
  folder: string;
  /** The default branch at the code host. */
  defaultBranch: string;
  /** Receives git's progress lines. */
  onProgress(line: string): void;
}

export interface Imported {
  isNew: boolean;
  /** The branches that were set to the folder's commit. */
  moved: string[];
  /**
   * The branches on which both the folder and the code host have new commits. They are not changed.
   */
  apart: string[];
}

/** The folder's branches at the last import. A clone does not contain these refs. */
const imported = "refs/imported/heads/";
const heads = "refs/heads/";
const sourceSetting = "switchyard.folder";

/** The folder that a repository was imported from; null if it was not imported. */
export async function findImportSource(repository: string): Promise<string | null> {
  if (!(await exists(repository))) return null;
  const asked = runGit(getGitEnvironment(repository), "--git-dir", repository, "config", "--get", sourceSetting);
  return await asked.catch(() => null);
}

/** Imports the folder. If that fails, throws git's message and does not change the repository. */
export async function importFolder(
  repository: string,
  asked: FolderImport,
  scratch: string,
  env: Record<string, string>,
): Promise<Imported> {
  if (await exists(repository)) {
    await runGit(env, "--git-dir", repository, "config", sourceSetting, asked.folder);
    return { isNew: false, ...(await updateRepository(repository, asked, env)) };
  }
  const work = await mkdtemp(join(scratch, "import-"));
  try {
    const bare = join(work, "bare.git");
    const git = (...args: string[]) => runGit(env, "--git-dir", bare, ...args);
    // Copies the objects as files. A fetch would repack them, which takes a minute for a large
    // repository.
    const asFiles = ["--bare", "--local", "--no-hardlinks", "--dissociate"];
    await runGit(env, "clone", "--quiet", ...asFiles, asked.folder, bare);
    await git("remote", "remove", "origin");
    await git("symbolic-ref", "HEAD", `${heads}${asked.defaultBranch}`);
    await configure(bare, env);
    await git("config", "transfer.hideRefs", "refs/imported");
    await git("config", sourceSetting, asked.folder);
    const brought = await updateRepository(bare, asked, env);
    writeRepositoryId(bare);
    await mkdir(dirname(repository), { recursive: true });
    await rename(bare, repository);
    return { isNew: true, ...brought };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function updateRepository(
  bare: string,
  { folder, onProgress }: FolderImport,
  env: Record<string, string>,
): Promise<Omit<Imported, "isNew">> {
  const git = (...args: string[]) => runGit(env, "--git-dir", bare, ...args);
  const before = await refsBelow(imported, bare, env);
  await fetchAll(bare, folder, onProgress, env);
  const [now, present] = [await refsBelow(imported, bare, env), await refsBelow(heads, bare, env)];
  const isWithin = (commit: string, other: string) =>
    git("merge-base", "--is-ancestor", commit, other).then(
      () => true,
      () => false,
    );
  const relation = async (mine: string, theirs: string): Promise<Relation> => {
    if (await isWithin(mine, theirs)) return "behind";
    return (await isWithin(theirs, mine)) ? "ahead" : "apart";
  };
  const [moved, apart, updates]: [string[], string[], string[]] = [[], [], []];
  for (const [branch, commit] of now) {
    const commits = { present: present.get(branch) ?? null, before: before.get(branch) ?? null, now: commit };
    const move = await getBranchMove(commits, () => relation(commits.present ?? "", commit));
    if (move === "apart") apart.push(branch);
    if (move !== "move") continue;
    moved.push(branch);
    updates.push(`update ${heads}${branch}\0${commit}\0${commits.present ?? ""}\0`);
  }
  await updateRefs(bare, updates.join(""), env);
  return { moved, apart };
}

/** Fetches into separate refs, so that a branch with pushed commits does not change. */
function fetchAll(
  bare: string,
  folder: string,
  onProgress: (line: string) => void,
  env: Record<string, string>,
): Promise<void> {
  const options = ["--no-tags", "--prune", "--update-shallow", "--no-write-fetch-head", "--no-auto-maintenance"];
  const refspecs = [`+refs/heads/*:${imported}*`, "+refs/tags/*:refs/tags/*"];
  const args = ["--git-dir", bare, "fetch", "--progress", ...options, folder, ...refspecs];
  return new Promise((done, failed) => {
    const git = spawn("git", args, { env, stdio: ["ignore", "ignore", "pipe"] });
    const errorLines: string[] = [];
    createInterface({ input: git.stderr }).on("line", (line) => {
      if (/^(remote: )?[A-Z][a-z]+ [a-z]+:/.test(line)) onProgress(line.replace(/^remote: /, ""));
      else errorLines.push(line);
    });
    git.once("error", failed);
    git.once("close", (code) =>
      code === 0 ? done() : failed(new Error(findMessage(errorLines) ?? "git fetch failed")),
    );
  });
}

/** Git's error: the last line that is one. */
function findMessage(errorLines: string[]): string | undefined {
  return errorLines.findLast((line) => /^(fatal|error): /.test(line));
}

async function refsBelow(prefix: string, bare: string, env: Record<string, string>): Promise<Map<string, string>> {
  const listed = await runGit(env, "--git-dir", bare, "for-each-ref", "--format=%(objectname) %(refname)", prefix);
  const rows = listed.split("\n").filter((line) => line !== "");
  return new Map(rows.map((line) => [line.slice(line.indexOf(" ") + 1 + prefix.length), line.split(" ", 1)[0] ?? ""]));
}

/** Sets all refs, or none. */
function updateRefs(bare: string, updates: string, env: Record<string, string>): Promise<void> {
  return new Promise((done, failed) => {
    const git = spawn("git", ["--git-dir", bare, "update-ref", "-z", "--stdin"], {
      env,
      stdio: ["pipe", "ignore", "pipe"],
    });
    const errorLines: string[] = [];
    createInterface({ input: git.stderr }).on("line", (line) => errorLines.push(line));
    git.once("error", failed);
    git.once("close", (code) =>
      code === 0 ? done() : failed(new Error(findMessage(errorLines) ?? "git update-ref failed")),
    );
    git.stdin.on("error", () => {});
    git.stdin.end(updates);
  });
}
