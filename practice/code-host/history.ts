// The history of a repository for the code host's pages: the commits of a branch, and the patch of
// a commit.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { author } from "./repository.ts";

const run = promisify(execFile);
const patchBytesMax = 512 * 1_024;

export interface HistoryCommit {
  sha: string;
  subject: string;
  author: string;
  /** An ISO date. */
  at: string;
}

export interface History {
  /**
   * The commits of a branch, newest first; with `without`, only those that the other branch lacks.
   */
  commits(of: { branch: string; without?: string }, most: number): Promise<HistoryCommit[]>;
  /** Null for an unknown commit. */
  commit(sha: string): Promise<(HistoryCommit & { body: string; patch: string }) | null>;
  /** Commits a note to a branch, as another user would. False if the branch does not exist. */
  commitSomething(branch: string): Promise<boolean>;
}

const format = "%H%x00%s%x00%an%x00%aI";

/** Opens the history of a repository by its folder. */
export function createHistory(folder: string, env: Record<string, string>): History {
  const git = async (args: string[]) =>
    (await run("git", ["--git-dir", folder, ...args], { env, maxBuffer: 1 << 28 })).stdout;
  const head = (branch: string) => `refs/heads/${branch}`;

  return {
    async commits({ branch, without }, most) {
      const range = without === undefined ? [head(branch)] : [head(branch), `^${head(without)}`];
      const listed = await git(["log", `--format=${format}`, `--max-count=${most}`, ...range, "--"]).catch(() => "");
      return listed.split("\n").flatMap((line) => parseCommit(line) ?? []);
    },
    async commit(sha) {
      if (!/^[0-9a-f]{40}$/.test(sha)) return null;
      const shown = await git(["log", "--max-count=1", `--format=${format}%x00%B`, sha, "--"]).catch(() => "");
      const found = parseCommit(shown);
      if (!found) return null;
      const patch = await git([
        "show",
        "--format=",
        "--first-parent",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        sha,
        "--",
      ]);
      const [, ...rest] = shown.split("\0").slice(4).join("\0").split("\n");
      const body = rest.join("\n").trim();
      return { ...found, body, patch: patch.slice(0, patchBytesMax) };
    },
    async commitSomething(branch) {
      const tip = (await git(["rev-parse", "--verify", "--quiet", `${head(branch)}^{commit}`]).catch(() => "")).trim();
      if (tip === "") return false;
      const at = new Date().toISOString();
      const lines = [
        `commit ${head(branch)}`,
        `committer ${author.map((setting) => setting.slice(setting.indexOf("=") + 1)).join(" <")}> now`,
        `data ${Buffer.byteLength(`Note of ${at}`)}`,
        `Note of ${at}`,
        `from ${tip}`,
        "M 644 inline NOTES.md",
        `data ${Buffer.byteLength(at)}`,
        at,
        "done",
        "",
      ];
      const importing = run("git", ["--git-dir", folder, "fast-import", "--quiet", "--done", "--date-format=now"], {
        env,
      });
      importing.child.stdin?.end(lines.join("\n"));
      await importing;
      return true;
    },
  };
}

function parseCommit(line: string): HistoryCommit | null {
  const [sha = "", subject = "", name = "", at = ""] = line.split("\0");
  return at === "" ? null : { sha, subject, author: name, at };
}
