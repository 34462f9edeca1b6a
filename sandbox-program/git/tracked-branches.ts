// The branches of the remote that a checkout tracks: its own and its base branch. Others can be
// many and large. They are fetched only on request, and git's configuration covers all of them.
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { waitUntilWhole } from "../rest-of-checkout.ts";
import { createGatewayRemote, type GitAccess } from "./gateway-remote.ts";
import { type GitCommandOptions, git, tryGit } from "./git-command.ts";

interface Branches {
  /** The checkout's own branch. */
  branch: string;
  baseBranch: string;
}

type Where = Pick<GitCommandOptions, "cwd" | "timeoutMs" | "signal">;
/** `isEarly` is true for a fetch of the newest commits, which does not wait for the older ones. */
type EarlyWhere = Where & { isEarly?: boolean };

/** The timeout for fetching a single branch while a reader waits. */
const oneFetchTimeoutMs = 20_000;

const allBranches = "+refs/heads/*:refs/remotes/origin/*";
const exactly = (branch: string) => `+refs/heads/${branch}:refs/remotes/origin/${branch}`;
/**
 * git refuses the exact name of a missing branch, but a pattern may match nothing. Matches with
 * longer names are harmless.
 */
const ifThere = (branch: string) => exactly(`${branch}*`);

interface Clone extends Branches {
  access: GitAccess;
  into: string;
  /** The author of its commits. */
  author: { name: string; email: string };
  /** The depth of the history that is cloned; null for all of it. */
  depth: number | null;
}

/**
 * Clones the base branch into a folder, and the checkout's own branch if it exists. Files are not
 * checked out.
 */
export async function cloneBranches(
  folders: Folders,
  { access, into, author, depth, ...branches }: Clone,
  timeoutMs: number,
): Promise<void> {
  const { remoteUrl } = access;
  const published = isPublished(folders, access, branches.branch, timeoutMs);
  published.catch(() => {});
  // Excludes git's sample hooks. A base contains no hooks, so the samples would be saved with the
  // work of every session.
  const options = ["--quiet", "--no-checkout", "--template=", "--origin", "origin", "--single-branch"];
  options.push("--config", `user.name=${author.name}`, "--config", `user.email=${author.email}`);
  if (depth !== null) options.push("--depth", String(depth));
  const clone = (branch: string) =>
    git(folders, ["clone", ...options, "--branch", branch, "--", remoteUrl, into], {
      cwd: folders.tmp,
      access: createGatewayRemote(access),
      timeoutMs,
    });
  await clone(branches.baseBranch).catch(async (error: unknown) => {
    if (!isMissingBranch(error)) throw error;
    // Work on a branch continues even if its base branch was deleted.
    await clone(branches.branch).catch(() => Promise.reject(error));
  });
  await git(folders, ["config", "remote.origin.fetch", allBranches], { cwd: into });
  if (await published) await fetchRefs(folders, access, [ifThere(branches.branch)], { cwd: into, timeoutMs });
}

/** True if the remote has the branch. */
async function isPublished(folders: Folders, access: GitAccess, branch: string, timeoutMs: number): Promise<boolean> {
  const gateway = createGatewayRemote(access);
  const args = ["ls-remote", "--heads", gateway.name, `refs/heads/${branch}`];
  return (await git(folders, args, { cwd: folders.tmp, access: gateway, timeoutMs })).trim() !== "";
}

/**
 * Fetches both branches. Drops the ref of the checkout's own branch if the remote no longer has it.
 */
export async function fetchTracked(
  folders: Folders,
  access: GitAccess,
  { branch, baseBranch }: Branches,
  options: EarlyWhere,
): Promise<void> {
  await fetchRefs(folders, access, [exactly(baseBranch), ifThere(branch)], options);
}

/** Fetches the commits that a shallow clone lacks, with their tags. */
export async function fetchHistory(
  folders: Folders,
  access: GitAccess,
  { branch, baseBranch }: Branches,
  options: Where,
): Promise<void> {
  const base = (await isTracked(folders, baseBranch, options)) ? [exactly(baseBranch)] : [];
  await runFetch(folders, access, ["--unshallow"], [...base, ifThere(branch)], { ...options, leavesLocks: true });
}

/** Fetches a branch unless the checkout tracks it. */
export async function trackBranch(folders: Folders, access: GitAccess, branch: string): Promise<void> {
  if (await isTracked(folders, branch)) return;
  await fetchRefs(folders, access, [exactly(branch)], { timeoutMs: oneFetchTimeoutMs });
}

/** True if the branch has a remote-tracking ref. */
export async function isTracked(folders: Folders, branch: string, options: Where = {}): Promise<boolean> {
  const ref = `refs/remotes/origin/${branch}`;
  return (await tryGit(folders, ["rev-parse", "--verify", "--quiet", ref], options)).exitCode === 0;
}

const isMissingBranch = (error: unknown) => error instanceof Error && /Remote branch .* not found/.test(error.message);
const noSuchRef = /couldn't find remote ref refs\/heads\/(\S+)/;

async function fetchRefs(
  folders: Folders,
  access: GitAccess,
  refs: string[],
  { isEarly, ...options }: EarlyWhere,
): Promise<void> {
  // With half a history, git may ask the remote for the other half, too.
  if (!isEarly) await waitUntilWhole();
  await runFetch(folders, access, ["--prune", "--no-tags"], refs, options);
}

async function runFetch(
  folders: Folders,
  access: GitAccess,
  flags: string[],
  refs: string[],
  options: GitCommandOptions,
): Promise<void> {
  const gateway = createGatewayRemote(access);
  await git(folders, ["fetch", "--quiet", ...flags, gateway.name, ...refs], {
    ...options,
    access: gateway,
  }).catch((error: unknown) => {
    const [, branch] = noSuchRef.exec(error instanceof Error ? error.message : "") ?? [];
    throw branch === undefined ? error : createRefusal("GIT_REFUSED", `The remote has no branch ${branch}.`);
  });
}
