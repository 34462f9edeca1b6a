// Reads the lines that review comments refer to, from the project's current files or from the base
// of the branch.
import { lineSnapshotCharacters } from "../../src/rules/limits.ts";
import type { AnchoredLines, LineAnchor } from "../../src/sandbox-protocol/protocol.ts";
import type { Folders } from "../folders.ts";
import { toRefusal } from "../http/refusal.ts";
import { readProjectFile } from "../project/files.ts";
import { checkProjectPath } from "../project/project-path.ts";
import { getMergeBase } from "./base.ts";
import { readFormerPaths } from "./changes.ts";
import { tryGit } from "./git-command.ts";

/** Longer than any line snapshot, whatever its line ends. */
const longestTextCharacters = 2 * lineSnapshotCharacters + 1;

/** The text at each anchor, in order: empty if the lines are gone, null if they cannot be read. */
export async function readLines(folders: Folders, base: string | null, anchors: LineAnchor[]): Promise<AnchoredLines> {
  const hasOld = anchors.some(({ side }) => side === "old");
  const from = hasOld ? await getMergeBase(folders, base).catch(() => null) : null;
  const known = new Map<string, Promise<string[] | null>>();
  let renamed: ReturnType<Renames> | undefined;
  const renames: Renames = (commit) => (renamed ??= readFormerPaths(folders, commit));

  function readSide({ side, filePath }: LineAnchor): Promise<string[] | null> {
    const key = `${side}:${filePath}`;
    const read = () =>
      side === "old" ? formerLines(folders, from, { path: filePath, renames }) : presentLines(folders, filePath);
    const lines = known.get(key) ?? read();
    known.set(key, lines);
    return lines;
  }

  const texts: AnchoredLines["texts"] = [];
  for (const anchor of anchors) {
    const lines = await readSide(anchor);
    texts.push(lines === null ? null : toText(lines.slice(anchor.startLineNumber - 1, anchor.endLineNumber)));
  }
  return { texts };
}

/** Every line keeps its line ending, so that an empty line differs from no line. */
function toText(lines: string[]): string {
  return lines.length === 0 ? "" : (lines.join("\n") || "\n").slice(0, longestTextCharacters);
}

async function presentLines(folders: Folders, path: string): Promise<string[] | null> {
  try {
    return (await readProjectFile(folders, path)).content.split("\n");
  } catch (error) {
    return toRefusal(error).code === "NOT_FOUND" ? [] : null;
  }
}

type Renames = (commit: string) => Promise<Map<string, string>>;

/** Reads lines of the base. A file that has been renamed since is read at its former path. */
async function formerLines(
  folders: Folders,
  commit: string | null,
  { path, renames }: { path: string; renames: Renames },
): Promise<string[] | null> {
  if (commit === null) return null;
  try {
    checkProjectPath(path);
    const former = (await isInTree(folders, commit, path)) ? path : (await renames(commit)).get(path);
    if (former === undefined) return [];
    const { exitCode, stdout, isCut } = await tryGit(folders, ["cat-file", "blob", `${commit}:${former}`]);
    return exitCode === 0 && !isCut ? stdout.split("\n") : null;
  } catch {
    return null;
  }
}

async function isInTree(folders: Folders, commit: string, path: string): Promise<boolean> {
  return (await tryGit(folders, ["rev-parse", "--verify", "--quiet", `${commit}:${path}`])).exitCode === 0;
}
