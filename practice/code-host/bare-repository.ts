// The git operations that the code host does in a bare repository: it looks up, compares and merges
// branches.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { author } from "./repository.ts";

const run = promisify(execFile);

/** As on the real code host, no branch has such a name. */
const commitId = /^[0-9a-f]{40}$/;

/** A changed file in GitHub's format. */
export interface ChangedFile {
  sha: string;
  filename: string;
  status: "added" | "removed" | "modified" | "renamed" | "copied" | "changed";
  additions: number;
  deletions: number;
  changes: number;
  /** Missing for a file that is no text, and for one without changed lines. */
  patch?: string;
  previous_filename?: string;
}

const fileStatuses: Record<string, ChangedFile["status"]> = {
  ...{ A: "added", D: "removed", M: "modified", R: "renamed", C: "copied", T: "changed" },
};

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
  /** The files that a branch changes since its merge base with the other, in GitHub's format. */
  listChangedFiles(base: string, branch: string): Promise<ChangedFile[]>;
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
    async listChangedFiles(base, branch) {
      const range = `refs/heads/${base}...refs/heads/${branch}`;
      const diff = async (...args: string[]) => {
        const options = [
          "diff",
          "--no-color",
          "--no-ext-diff",
          "--no-textconv",
          "--find-renames",
          ...args,
          range,
          "--",
        ];
        return (await run("git", ["--git-dir", folder, ...options], { env, maxBuffer: 1 << 28 })).stdout;
      };
      const known = await heads();
      if (!known.has(base) || !known.has(branch)) return [];
      const patches = (await diff("--patch")).split(/^diff --git .*\n/m).slice(1);
      return parseChanges(await diff("--raw", "--no-abbrev", "-z")).map((file, place) => {
        const [, patch] = /^(@@[\s\S]*)\n$/m.exec(patches[place] ?? "") ?? [];
        const count = (mark: string) => patch?.split("\n").filter((line) => line.startsWith(mark)).length ?? 0;
        const [additions, deletions] = [count("+"), count("-")];
        const { sha, filename, status, ...rest } = file;
        const counts = { additions, deletions, changes: additions + deletions };
        return { sha, filename, status, ...counts, ...(patch === undefined ? {} : { patch }), ...rest };
      });
    },
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

/** Parses git's raw list of changes: fields of a change, its path, and the path of a copy. */
function parseChanges(raw: string): Pick<ChangedFile, "sha" | "filename" | "status" | "previous_filename">[] {
  const fields = raw.split("\0");
  const files = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , from = "", to = "", letter = ""] = (fields[at] ?? "").split(" ");
    const status = fileStatuses[letter.slice(0, 1)] ?? "changed";
    const isMoved = status === "renamed" || status === "copied";
    const previous = isMoved ? { previous_filename: fields[at + 1] ?? "" } : {};
    if (isMoved) at += 1;
    files.push({ sha: status === "removed" ? from : to, filename: fields[at + 1] ?? "", status, ...previous });
  }
  return files;
}
