// The lines that review comments stand at, as they are now: those of the project's files, or those of the base that the branch left.
import { lineSnapshotCharacters } from "../src/rules/limits.ts";
import type { LineAnchor, LineReading } from "../src/sandbox/protocol.ts";
import { readProjectFile } from "./files.ts";
import type { Folders } from "./folders.ts";
import { mergeBase } from "./git-base.ts";
import { tryGit } from "./git-command.ts";
import { toRefusal } from "./refusal.ts";

/** More than any snapshot has, whatever its line ends are. */
const longestTextCharacters = 2 * lineSnapshotCharacters + 1;

/** The text at each anchor, in their order: empty where there is none any more, null where nobody can tell. */
export async function readLines(folders: Folders, base: string | null, anchors: LineAnchor[]): Promise<LineReading> {
  const hasOld = anchors.some(({ side }) => side === "old");
  const from = hasOld ? await mergeBase(folders, base).catch(() => null) : null;
  const known = new Map<string, Promise<string[] | null>>();

  function linesOf({ side, filePath }: LineAnchor): Promise<string[] | null> {
    const key = `${side}:${filePath}`;
    const lines =
      known.get(key) ?? (side === "old" ? formerLines(folders, from, filePath) : presentLines(folders, filePath));
    known.set(key, lines);
    return lines;
  }

  const texts: LineReading["texts"] = [];
  for (const anchor of anchors) {
    const lines = await linesOf(anchor);
    const text = lines?.slice(anchor.startLineNumber - 1, anchor.endLineNumber).join("\n") ?? null;
    texts.push(text === null ? null : text.slice(0, longestTextCharacters));
  }
  return { texts };
}

async function presentLines(folders: Folders, path: string): Promise<string[] | null> {
  try {
    return (await readProjectFile(folders, path)).content.split("\n");
  } catch (error) {
    return toRefusal(error).code === "NOT_FOUND" ? [] : null;
  }
}

/** A file that the base has under another name, or not at all, says nothing. */
async function formerLines(folders: Folders, commit: string | null, path: string): Promise<string[] | null> {
  if (commit === null) return null;
  const { exitCode, stdout, isCut } = await tryGit(folders, ["cat-file", "blob", `${commit}:${path}`]);
  return exitCode === 0 && !isCut ? stdout.split("\n") : null;
}
