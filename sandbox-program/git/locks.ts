// Deletes lock files that a killed git left in the checkout. git itself never deletes them, and
// every later git would fail. A lock is deleted only once it is certain that no process holds it.
import { type Dirent, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folders } from "../folders.ts";
import { readEnvironment } from "../process/process-family.ts";
import { listOtherProcesses } from "../process/running-processes.ts";
import { isGitOfAgent } from "../process/users.ts";
import { getWall } from "../process/wall.ts";
import { isFetchingHistory } from "../rest-of-checkout.ts";

interface Lock {
  path: string;
  /** Differs from that of a later lock with the same path. */
  identity: string;
}

/** git commands that only read rarely take longer. */
const waitMs = 500;
const pauseMs = 25;

/**
 * Deletes all locks, unless a git of this sandbox is running, even in a service: it is unknown
 * which locks that git holds. Waits briefly for it to end. True if no lock is left.
 */
export async function deleteLocks(folders: Folders): Promise<boolean> {
  // No other git has acted here yet, and this one holds a lock for as long as it takes.
  if (isFetchingHistory()) return false;
  const deadline = performance.now() + waitMs;
  for (;;) {
    // The locks are listed before the processes, so that the holder of a listed lock is among the
    // processes.
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
  const folders = [repository, ...listEntries(worktrees).map(({ name }) => join(worktrees, name))];
  return [...folders.flatMap((folder) => listEntries(folder)), ...listEntries(join(repository, "refs"), true)]
    .filter((entry) => entry.isFile() && entry.name.endsWith(".lock"))
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const identity = findIdentity(path);
      return identity === null ? [] : [{ path, identity }];
    });
}

function isAnyHeld(folders: Folders, locks: Lock[]): boolean {
  const roots = [folders.root, realpathSync(folders.root)];
  const paths = new Set(locks.flatMap(({ path }) => [path, readRealPath(path)]));
  return listOtherProcesses().some(
    (id) => isGitProcess(roots, id) || listOpenFiles(id).some((path) => paths.has(path)),
  );
}

/**
 * A git that runs in the sandbox's folder, or whose environment or arguments name that folder. With
 * the wall of users, any git of the agent: that machine has a single sandbox.
 */
function isGitProcess(roots: string[], id: number): boolean {
  if (getWall() === "users" && isGitOfAgent(read(`/proc/${id}/status`))) return true;
  if (!read(`/proc/${id}/comm`).startsWith("git")) return false;
  const launch = readEnvironment(id) + read(`/proc/${id}/cmdline`);
  const at = readLink(`/proc/${id}/cwd`) + sep;
  return roots.some((root) => at.startsWith(root + sep) || launch.includes(root));
}

function listOpenFiles(id: number): string[] {
  return listEntries(`/proc/${id}/fd`).map(({ name }) => readLink(`/proc/${id}/fd/${name}`));
}

function remove({ path, identity }: Lock): void {
  try {
    if (findIdentity(path) === identity) rmSync(path, { force: true });
  } catch {
    // The lock stays, and the next git reports it.
  }
}

function findIdentity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.ctimeNs}` : null;
}

function listEntries(folder: string, recursive = false): Dirent[] {
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
      // The process has ended, or belongs to another user.
      return "";
    }
  };
const read = orEmpty((path) => readFileSync(path, "latin1"));
const readLink = orEmpty((path) => readlinkSync(path));
const readRealPath = orEmpty((path) => realpathSync(path));
