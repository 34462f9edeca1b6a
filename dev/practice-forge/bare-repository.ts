// What the forge itself does in a repository: it looks branches up, compares and merges them.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { author } from "./repository.ts";

const run = promisify(execFile);

export interface BareRepository {
  /** The commit at the head of each branch. */
  heads(): Promise<Map<string, string>>;
  /** The commit that a branch's name or a commit's id stands for; null when there is none. */
  commitAt(ref: string): Promise<string | null>;
  /** Null when one of the branches, or commits, is not there. */
  compare(base: string, branch: string): Promise<{ behindBy: number; aheadBy: number } | null>;
  /** True when the second branch has everything that the first one has. */
  isWithin(commit: string, other: string): Promise<boolean>;
  /** Merges a branch into its base. `absent` when one of them is not there, so that nothing can be merged. */
  merge(base: string, branch: string, message: string): Promise<"merged" | "conflict" | "absent">;
}

/** Opens a repository by its folder. */
export function openBareRepository(folder: string, env: Record<string, string>): BareRepository {
  const git = async (...args: string[]) => (await run("git", ["--git-dir", folder, ...args], { env })).stdout.trim();
  const commitAt: BareRepository["commitAt"] = async (ref) => {
    const commit = await head(ref);
    if (commit || !/^[0-9a-f]{40}$/.test(ref)) return commit;
    return await git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`).catch(() => null);
  };
  const head = (branch: string) =>
    git("rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}`).catch(() => null);

  return {
    async heads() {
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
    },
    commitAt,
    async compare(base, branch) {
      const [from, to] = [await commitAt(base), await commitAt(branch)];
      if (!from || !to) return null;
      const [behind = "0", ahead = "0"] = (await git("rev-list", "--left-right", "--count", `${from}...${to}`)).split(
        "\t",
      );
      return { behindBy: Number(behind), aheadBy: Number(ahead) };
    },
    isWithin: (commit, other) =>
      git("merge-base", "--is-ancestor", commit, other).then(
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
