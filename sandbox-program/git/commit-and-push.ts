// The git state of the checkout for the git panel, and its two actions: commit everything, and push
// the branch.
import type { GitCommit, GitCommitted, GitPush, GitState } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { createRefusal } from "../http/refusal.ts";
import { requireCheckout } from "../project/checkout-record.ts";
import { deleteReplacedCommit, findReplacedCommit } from "./branch/replaced-commit.ts";
import { createGatewayRemote } from "./gateway-remote.ts";
import { getOutput, git, tryGit } from "./git-command.ts";
import { findHeadCommit, requireNothingHalfDone, requireOwnBranch } from "./head.ts";
import { findRefTips } from "./ref-tips.ts";

/** Shorter than the timeout of any caller, so that the refusal reaches it. */
const pushTimeoutMs = 45_000;
/**
 * A commit of the project records only the commit of a nested repository, so uncommitted changes in
 * the nested repository are ignored.
 */
const ownChanges = "--ignore-submodules=dirty";
/** The exit code of a `git commit` that refuses because nothing is staged. */
const consideredEmpty = 1;

/**
 * Whether there are uncommitted changes, unpushed commits, and commits ahead of the base branch.
 */
export async function readGitState(folders: Folders, base: string | null): Promise<GitState> {
  const record = requireCheckout(folders);
  const [status, aheadOfBranch, aheadOfBase] = await Promise.all([
    git(folders, ["--no-optional-locks", "status", "--porcelain", "--untracked-files=normal", ownChanges]),
    countAhead(folders, record.branch),
    countAhead(folders, base ?? record.baseBranch),
  ]);
  if (aheadOfBase === null && (await findHeadCommit(folders)) !== null)
    throw createRefusal("GIT_REFUSED", `The remote has no branch ${base ?? record.baseBranch}.`);
  return {
    hasUncommittedChanges: status !== "",
    hasUnpushedCommits: (aheadOfBranch ?? aheadOfBase ?? 0) > 0,
    hasCommitsAheadOfBase: (aheadOfBase ?? 0) > 0,
  };
}

/**
 * The number of commits in HEAD and not in the remote-tracking branch; null if there is no such
 * branch.
 */
async function countAhead(folders: Folders, branch: string): Promise<number | null> {
  const counted = await tryGit(folders, ["rev-list", "--count", `refs/remotes/origin/${branch}..HEAD`, "--"]);
  return counted.exitCode === 0 ? Number(counted.stdout.trim()) : null;
}

/** Commits every change under the author's name. */
export async function commitAll(folders: Folders, commit: GitCommit): Promise<GitCommitted> {
  const { branch } = requireCheckout(folders);
  await requireOwnBranch(folders, branch);
  await requireNothingHalfDone(folders);
  await git(folders, ["add", "--all"]);
  const { name, email } = commit.author;
  const args = ["commit", "--quiet", "--cleanup=verbatim", "--file=-"];
  const options = {
    input: commit.message,
    env: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  };
  const made = await tryGit(folders, args, options);
  if (made.exitCode === consideredEmpty) {
    if (await isNothingStaged(folders)) throw createRefusal("NOTHING_TO_COMMIT", "There is nothing to commit.");
    // Under the checkout's configuration git may consider the staged changes empty.
    await git(folders, [...args, "--allow-empty"], options);
  } else getOutput(args, made);
  const [sha] = findRefTips(folders, [`refs/heads/${branch}`]) ?? [];
  return { sha: sha ?? (await git(folders, ["rev-parse", "HEAD"])).trim() };
}

async function isNothingStaged(folders: Folders): Promise<boolean> {
  const comparison = ["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", ownChanges];
  return (await tryGit(folders, comparison, { runsNothing: true })).exitCode === 0;
}

/**
 * Pushes the session's branch. After a rebase, overwrites the commits that it replaced, and only
 * those. An aborted push ends.
 */
export async function pushBranch(folders: Folders, push: GitPush, signal?: AbortSignal): Promise<void> {
  const record = requireCheckout(folders);
  await requireOwnBranch(folders, record.branch);
  const branch = `refs/heads/${record.branch}`;
  if (findRefTips(folders, [branch]) === null && (await findHeadCommit(folders)) === null)
    throw createRefusal("GIT_REFUSED", "The branch has no commit yet. Commit first.");
  const replaced = await findReplacedCommit(folders, record.branch);
  const lease = replaced ? [`--force-with-lease=${record.branch}:${replaced}`] : [];
  const gateway = createGatewayRemote({ remoteUrl: record.remoteUrl, token: push.token });
  await git(folders, ["push", "--quiet", ...lease, gateway.name, `${branch}:${branch}`], {
    access: gateway,
    timeoutMs: pushTimeoutMs,
    signal,
  });
  if (replaced) await deleteReplacedCommit(folders);
}
