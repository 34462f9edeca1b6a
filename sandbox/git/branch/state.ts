// Where the branch of the checkout stands: what is fetched of it and of the branch it is to take in, and how it is moved to another commit
// without a byte of uncommitted work being lost.

import type { Folders } from "../../folders.ts";
import { refusal } from "../../http/refusal.ts";
import { requireCheckout } from "../../project/checkout-record.ts";
import { gatewayRemote } from "../gateway-remote.ts";
import { git, tryGit } from "../git-command.ts";
import { requireNothingHalfDone, requireOwnBranch } from "../head.ts";

export interface BranchState {
  branch: string;
  head: string;
  /** The commit of the branch that is to be taken in. */
  baseHead: string;
  /** What the remote has of the branch itself; null when it was never published. */
  published: string | null;
}

const fetchTimeoutMs = 120_000;
const filesNamed = 10;

/** Fetches, and tells where the branch and the one to take in are. Refused while the checkout is in the middle of something. */
export async function fetchBranches(folders: Folders, base: string, token: string): Promise<BranchState> {
  const record = requireCheckout(folders);
  await requireOwnBranch(folders, record.branch);
  await requireNothingHalfDone(folders);
  const gateway = gatewayRemote({ remoteUrl: record.remoteUrl, token });
  await git(folders, ["fetch", "--quiet", "--prune", "--no-tags", gateway.name], {
    access: gateway,
    timeoutMs: fetchTimeoutMs,
  });
  const baseHead = await commitOf(folders, `refs/remotes/origin/${base}`);
  if (baseHead === null) throw refusal("GIT_REFUSED", `The remote has no branch ${base}.`);
  const head = (await git(folders, ["rev-parse", "HEAD"])).trim();
  return {
    branch: record.branch,
    head,
    baseHead,
    published: await commitOf(folders, `refs/remotes/origin/${record.branch}`),
  };
}

/** The commit that a ref names; null when there is none. */
export async function commitOf(folders: Folders, ref: string): Promise<string | null> {
  const found = await tryGit(folders, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** True when the second commit has all that the first has. */
export async function isAncestor(folders: Folders, ancestor: string, commit: string): Promise<boolean> {
  return (await tryGit(folders, ["merge-base", "--is-ancestor", ancestor, commit])).exitCode === 0;
}

/**
 * Moves the branch and the files that differ. Uncommitted changes stay as they are; where they are in a file that the move would change, or
 * an untracked or ignored file is in its place, nothing is done and those files are named.
 */
export async function moveBranch(folders: Folders, branch: string, to: string): Promise<void> {
  const args = ["checkout", "--quiet", "--no-overwrite-ignore", "--no-track", "-B", branch, to];
  const moved = await tryGit(folders, args, { timeoutMs: fetchTimeoutMs });
  if (moved.exitCode === 0) return;
  const inTheWay = filesOf(moved.stderr);
  if (inTheWay.length === 0) throw refusal("GIT_REFUSED", `The files could not be changed.\n${moved.stderr.trim()}`);
  throw refusal("GIT_REFUSED", inTheWayText(inTheWay));
}

/** The files that git lists where it refuses to overwrite them. */
export const filesOf = (stderr: string) => [...stderr.matchAll(/^\t(.+)$/gm)].map(([, name = ""]) => name);

export function inTheWayText(files: string[]): string {
  const more = files.length > filesNamed ? ` and ${files.length - filesNamed} more` : "";
  const named = files.slice(0, filesNamed).join(", ");
  return `Uncommitted work is in the way, in files that would change: ${named}${more}. Nothing was done. Commit it, or take it back, first.`;
}
