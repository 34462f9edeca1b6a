// Lock files that a killed git left in the checkout, and that would have every later git refused: they are removed as soon as it is certain
// that nobody holds them. Git itself never does that.
import { type Dirent, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { environmentOf, otherProcesses } from "../process/process-family.ts";

interface Lock {
  path: string;
  /** Tells it from another lock of the same name. */
  identity: string;
}

/** The program's own git commands that only read seldom take longer. */
const waitMs = 500;
const pauseMs = 25;

/**
 * Removes every lock that nobody holds. While any git of this sandbox is at work, in a service as well, all stay, for which are its own cannot
 * be told. True when none is left.
 */
export async function freeLocks(folders: Folders): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    // The locks come first: whoever held one then, and still holds it, is seen.
    const locks = findLocks(folders);
    if (locks.length === 0) return true;
    if (!isAnyHeld(folders, locks)) locks.forEach(remove);
    else if (performance.now() > deadline) return false;
    else await sleep(pauseMs);
    if (performance.now() > deadline) return findLocks(folders).length === 0;
  }
}

function findLocks({ project }: Folders): Lock[] {
  const repository = join(project, ".git");
  const worktrees = join(repository, "worktrees");
  const folders = [repository, ...entriesOf(worktrees).map(({ name }) => join(worktrees, name))];
  return [...folders.flatMap((folder) => entriesOf(folder)), ...entriesOf(join(repository, "refs"), true)]
    .filter((entry) => entry.isFile() && entry.name.endsWith(".lock"))
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const identity = identityOf(path);
      return identity === null ? [] : [{ path, identity }];
    });
}

function isAnyHeld(folders: Folders, locks: Lock[]): boolean {
  const roots = [folders.root, realpathSync(folders.root)];
  const paths = new Set(locks.flatMap(({ path }) => [path, realPathOf(path)]));
  return otherProcesses().some((id) => isGitOf(roots, id) || openFiles(id).some((path) => paths.has(path)));
}

/** A git that works in the sandbox, or that was told of it: its environment names the sandbox's folders wherever it runs. */
function isGitOf(roots: string[], id: number): boolean {
  if (!read(`/proc/${id}/comm`).startsWith("git")) return false;
  const launch = environmentOf(id) + read(`/proc/${id}/cmdline`);
  const at = linkOf(`/proc/${id}/cwd`) + sep;
  return roots.some((root) => at.startsWith(root + sep) || launch.includes(root));
}

function openFiles(id: number): string[] {
  return entriesOf(`/proc/${id}/fd`).map(({ name }) => linkOf(`/proc/${id}/fd/${name}`));
}

function remove({ path, identity }: Lock): void {
  try {
    if (identityOf(path) === identity) rmSync(path, { force: true });
  } catch {
    // It stays, and git says so.
  }
}

function identityOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.ctimeNs}` : null;
}

function entriesOf(folder: string, recursive = false): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch {
    return [];
  }
}

const orEmpty =
  (get: (path: string) => string) =>
  (path: string): string => {
    try {
      return get(path);
    } catch {
      // The process has ended, or is another user's.
      return "";
    }
  };
const read = orEmpty((path) => readFileSync(path, "latin1"));
const linkOf = orEmpty((path) => readlinkSync(path));
const realPathOf = orEmpty((path) => realpathSync(path));
