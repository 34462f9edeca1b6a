// The git operations that the code host does in a bare repository: it looks up, compares and merges
// branches.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { author } from "./repository.ts";

const run = promisify(execFile);

/** As on the real code host, no branch has such a name. */
const commitId = /^[0-9a-f]{40}$/;

export interface BareRepository {
  /** The head commit of each branch. */
  heads(): Promise<Map<string, string>>;
  /** The name of the default branch. */
  defaultBranch(): Promise<string>;
  /** The time of the newest commit of all branches, in ISO 8601; null without a commit. */
  newestCommitTime(): Promise<string | null>;
  /** Resolves a branch name or a commit id; null if it does not exist. */
  commitAt(ref: string): Promise<string | null>;
  /** Null if one of the branches or commits does not exist. `baseId` is the commit of the base. */
  compare(base: string, branch: string): Promise<{ baseId: string; behindBy: number; aheadBy: number } | null>;
  /** True if `commit` is an ancestor of `other`. */
  isWithin(commit: string, other: string): Promise<boolean>;
  /** True if a branch merges into its base without a conflict. */
  canMerge(base: string, branch: string): Promise<boolean>;
  /** Merges a branch into its base. `absent` if one of them does not exist. */
  merge(base: string, branch: string, message: string): Promise<"merged" | "conflict" | "absent">;
}

/** Opens a repository by its folder. */
export function getBareRepository(folder: string, env: Record<string, string>): BareRepository {
  const git = async (...args: string[]) => (await run("git", ["--git-dir", folder, ...args], { env })).stdout.trim();
  // Each git process takes milliseconds of a world, so a call starts as few as it can.
  const commitAt: BareRepository["commitAt"] = (ref) =>
    commitId.test(ref)
      ? git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).catch(() => null)
      : head(ref);
  const head = (branch: string) =>
    git("rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}`).catch(() => null);

  const heads: BareRepository["heads"] = async () => {
    const lines = await git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/");
    return new Map(
      lines
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => [
          line.slice(line.indexOf(" refs/heads/") + " refs/heads/".length),
          line.slice(0, line.indexOf(" ")),
        ]),
    );
  };

  return {
    heads,
    defaultBranch: () => git("symbolic-ref", "--short", "HEAD"),
    async newestCommitTime() {
      const newest = ["for-each-ref", "--sort=-committerdate", "--count=1", "--format=%(committerdate:unix)"];
      const seconds = await git(...newest, "refs/heads/");
      return seconds === "" ? null : new Date(Number(seconds) * 1_000).toISOString().replace(".000", "");
    },
    commitAt,
    async compare(base, branch) {
      const known = await heads();
      const [baseId, to] = [base, branch].map((ref) => (commitId.test(ref) ? ref : known.get(ref)));
      if (baseId === undefined || to === undefined) return null;
      // Fails for a commit that does not exist.
      const counted = await git("rev-list", "--left-right", "--count", `${baseId}...${to}`).catch(() => null);
      if (counted === null) return null;
      const [behind = "0", ahead = "0"] = counted.split("\t");
      return { baseId, behindBy: Number(behind), aheadBy: Number(ahead) };
    },
    isWithin: (commit, other) =>
      git("merge-base", "--is-ancestor", commit, other).then(
        () => true,
        () => false,
      ),
    canMerge: (base, branch) =>
      git("merge-tree", "--write-tree", `refs/heads/${base}`, `refs/heads/${branch}`).then(
        () => true,
        () => false,
      ),
    async merge(base, branch, message) {
      const [onto, merged] = [await head(base), await head(branch)];
      if (!onto || !merged) return "absent";
      const tree = await git("merge-tree", "--write-tree", onto, merged).catch(() => null);
      if (tree === null) return "conflict";
      const named = author.flatMap((setting) => ["-c", setting]);
      const commit = await git(...named, "commit-tree", tree, "-p", onto, "-p", merged, "-m", message);
      await git("update-ref", `refs/heads/${base}`, commit, onto);
      return "merged";
    },
  };
}
