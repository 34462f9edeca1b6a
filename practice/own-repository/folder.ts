// The user's own git folder. It is only read: not even git's index in it changes.
import { execFile } from "node:child_process";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { promisify } from "node:util";
import { getGitEnvironment } from "../code-host/git-environment.ts";

export interface OwnFolder {
  type: "folder";
  path: string;
  /** The name of its project. */
  name: string;
  /** `owner/name` at the stand-in code host. */
  repository: string;
  targetBranch: string;
  /** The number of files with uncommitted changes, which no session will have. */
  uncommittedFiles: number;
}

const run = promisify(execFile);
const owner = "own";
/**
 * Without these, `git status` writes the index, and may start a watcher that the repository
 * configures.
 */
const readOnly = ["--no-optional-locks", "-c", "core.fsmonitor=false"];

/**
 * Reads a folder. If it cannot be a project, returns a message that says what to do. A relative
 * path starts at `from`.
 */
export async function readOwnFolder(named: string, from: string): Promise<OwnFolder | string> {
  const asked = resolve(from, named.replace(/^~(?=\/|$)/, homedir()));
  const there = await stat(asked).catch(() => null);
  if (!there) return `There is no folder ${asked}.`;
  if (!there.isDirectory()) return `${asked} is no folder.`;
  const path = await realpath(asked);
  const git = withFolder(path);
  const place = await git("rev-parse", "--is-bare-repository", "--is-inside-work-tree");
  if (isFailure(place)) return notOpened(path, place.reason);
  if (place[0] === "true") return `${path} is a bare repository. Give a clone of it, which has its files.`;
  const [top = ""] = place[1] === "true" ? lines(await git("rev-parse", "--show-toplevel")) : [];
  if (top === "") return `${path} is the inside of a git repository. Give the folder with its files.`;
  if (top !== path) return `${path} lies inside of the repository ${top}. Give that one: --repo ${top}`;
  const heads = lines(await git("for-each-ref", "--format=%(refname:short)", "refs/heads/"));
  const [current] = lines(await git("symbolic-ref", "--quiet", "--short", "HEAD"));
  const [origin] = lines(await git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"));
  const targetBranch = findTargetBranch({ heads, current: current ?? null, origin: origin ?? null });
  if (targetBranch === null) {
    return isFailure(await git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
      ? `${path} has no commit yet. Make one: git -C ${path} add --all && git -C ${path} commit -m "First commit"`
      : `${path} has no branch. Make one: git -C ${path} switch -c main`;
  }
  const changed = lines(await git("status", "--porcelain", "--ignore-submodules"));
  const name = basename(path);
  const repository = `${owner}/${toRepositoryName(name)}`;
  return { type: "folder", path, name, repository, targetBranch, uncommittedFiles: changed.length };
}

/**
 * The branch that sessions start from: the origin's default branch if it exists, otherwise `main`,
 * `master`, or the checked-out branch.
 */
export function findTargetBranch({
  heads,
  current,
  origin,
}: {
  heads: string[];
  current: string | null;
  /** A remote branch such as `origin/main`. */
  origin: string | null;
}): string | null {
  const wanted = [origin?.replace(/^origin\//, ""), "main", "master", current];
  return wanted.find((branch) => branch && heads.includes(branch)) ?? heads[0] ?? null;
}

/** Turns the name of a folder into a valid repository name. */
export function toRepositoryName(folder: string): string {
  const plain = folder
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[.-]+|(\.git|[.-])+$/g, "");
  return plain === "" ? "repository" : plain;
}

interface Failure {
  reason: string;
}

function withFolder(path: string): (...args: string[]) => Promise<string[] | Failure> {
  const env = getGitEnvironment(path);
  return async (...args) => {
    try {
      const { stdout } = await run("git", ["-C", path, ...readOnly, ...args], { env, maxBuffer: 1 << 28 });
      return stdout.split("\n").filter((line) => line !== "");
    } catch (error) {
      return { reason: error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error) };
    }
  };
}

function isFailure(answer: string[] | Failure): answer is Failure {
  return !Array.isArray(answer);
}

function lines(answer: string[] | Failure): string[] {
  return isFailure(answer) ? [] : answer;
}

function notOpened(path: string, reason: string): string {
  if (reason.includes("dubious ownership")) return `${path} belongs to another user. Clone it to a folder of your own.`;
  if (!reason.includes("not a git repository")) return `git does not open ${path}: ${reason.split("\n")[0]}`;
  return (
    `${path} is no git repository. Make it one: ` +
    `git -C ${path} init && git -C ${path} add --all && git -C ${path} commit -m "First commit"`
  );
}
