// Resolves all conflicts of a merge in favor of one side, without touching the checkout.
// Conflicting lines are taken from that side. If whole files conflict, as after a deletion or a
// rename, that side's file or its absence is taken. Everything else is merged.
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { deleteFolder } from "../../archive/folder-removal.ts";
import type { Folders } from "../../folders.ts";
import { type GitCommandOptions, git, tryGit } from "../git-command.ts";
import type { Conflict, ConflictStage, MergedTree } from "./merge-trees.ts";

/** `ours` is the branch that is merged into, `theirs` the branch that comes in. */
export type Side = "ours" | "theirs";

const filePattern = /^100/;
const noObject = "0".repeat(40);

/** The merged tree with every conflict resolved in favor of one side. */
export async function resolveConflicts(folders: Folders, merged: MergedTree, side: Side): Promise<string> {
  const bench = join(folders.tmp, `merge-${randomUUID()}`);
  await mkdir(bench);
  try {
    const options: GitCommandOptions = {
      cwd: bench,
      env: {
        GIT_DIR: join(folders.project, ".git"),
        GIT_WORK_TREE: bench,
        GIT_INDEX_FILE: join(bench, "index"),
      },
    };
    await git(folders, ["read-tree", merged.tree], options);
    const gone = merged.conflicts.flatMap(({ names }) => names.map((name) => `0 ${noObject}\t${name}`));
    const kept: string[] = [];
    for (const conflict of merged.conflicts) {
      const chosen = await resolveConflict(folders, options, conflict, side);
      if (chosen) kept.push(`${chosen.mode} ${chosen.objectId}\t${conflict.path}`);
    }
    // Deletions go first, because a file can replace a folder only once the folder is gone.
    const lines = [...gone, ...kept].map((line) => `${line}\0`).join("");
    await git(folders, ["update-index", "-z", "--replace", "--index-info"], { ...options, input: lines });
    return (await git(folders, ["write-tree"], options)).trim();
  } finally {
    await deleteFolder(bench);
  }
}

/** The chosen version of a path; null if the side does not have the path. */
async function resolveConflict(
  folders: Folders,
  options: GitCommandOptions,
  { stages }: Conflict,
  side: Side,
): Promise<ConflictStage | null> {
  const at = (stage: number) => stages.find((known) => known.stage === stage);
  const [past, ours, theirs] = [at(1), at(2), at(3)];
  const chosen = (side === "ours" ? ours : theirs) ?? null;
  if (!ours || !theirs || ![past ?? ours, ours, theirs].every(({ mode }) => filePattern.test(mode))) return chosen;
  const files: string[] = [];
  for (const version of [ours, past, theirs]) files.push(await unpack(folders, options, version?.objectId ?? null));
  const lines = await tryGit(folders, ["merge-file", "--quiet", `--${side}`, ...files], options);
  // merge-file merges only text.
  if (lines.exitCode !== 0 || !chosen) return chosen;
  const [mergedFile = ""] = files;
  const objectId = (await git(folders, ["hash-object", "-w", "--no-filters", "--", mergedFile], options)).trim();
  return { ...chosen, objectId };
}

/** Writes a version into a temporary file, empty for a missing version. Returns its name. */
async function unpack(folders: Folders, options: GitCommandOptions, objectId: string | null): Promise<string> {
  const writeEmpty = () => git(folders, ["hash-object", "-w", "--stdin"], { ...options, input: "" });
  return (await git(folders, ["unpack-file", objectId ?? (await writeEmpty()).trim()], options)).trim();
}
