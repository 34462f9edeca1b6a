// The changes in a checkout when its work was last saved. They are stored up to a maximum size, and
// read while the sandbox sleeps.

export interface SavedChanges<File = unknown, Commit = unknown> {
  /** The time of the data, in milliseconds since the epoch. */
  at: number;
  /** The base branch with which it was compared. */
  base: string;
  files: File[];
  commits: Commit[];
  patch: string;
  /** True if the patch is incomplete. */
  isCut: boolean;
}

/** A longer list or a longer patch is cut, because one row contains all of it. */
const listCharacters = 128 * 1_024;
const patchCharacters = 384 * 1_024;

/**
 * Cuts the changes to the maximum size: as many files and commits, and as many files of the patch,
 * as fit.
 */
export function limitChanges<File, Commit>(changes: SavedChanges<File, Commit>): SavedChanges<File, Commit> {
  const patch = startOfPatch(changes.patch);
  return {
    ...changes,
    files: startOfList(changes.files),
    commits: startOfList(changes.commits),
    patch,
    isCut: changes.isCut || patch.length < changes.patch.length,
  };
}

function startOfList<Item>(items: Item[]): Item[] {
  let left = listCharacters;
  const tooMany = items.findIndex((item) => {
    left -= JSON.stringify(item).length;
    return left < 0;
  });
  return tooMany < 0 ? items : items.slice(0, tooMany);
}

function startOfPatch(patch: string): string {
  if (patch.length <= patchCharacters) return patch;
  const end = patch.lastIndexOf("\ndiff --", patchCharacters);
  return end < 0 ? "" : patch.slice(0, end + 1);
}

/** The parts of a patch that belong to a file, or to the files in a folder. */
export function getPatch(patch: string, path: string): string {
  const wanted = path.replace(/\/+$/, "");
  const isWanted = (name: string) => name === wanted || name.startsWith(`${wanted}/`);
  // Only "\n" ends a line of a patch: a line of a file may have other ends of lines within it.
  return patch
    .split(/(?<=\n)(?=diff --)/)
    .filter((part) => listNames(part).some(isWanted))
    .join("");
}

/** The names of a part's file in its head, before and after the change. */
function listNames(part: string): string[] {
  const [head = ""] = part.split("\n@@", 1);
  return head.split("\n").flatMap((line) => {
    // Git ends some lines with a tab, and writes a name with special characters as a C string.
    const read = line.replace(/\t$/, "").replace(/"((?:[^"\\]|\\.)*)"/g, (_, quoted: string) => unquote(quoted));
    const [, name] = /^(?:--- a\/|\+\+\+ b\/|rename from |rename to |Files a\/)(.+)$/s.exec(read) ?? [];
    // A part without lines, such as a new empty file, has its name only in its first line.
    const [, same] = /^diff --git a\/(.+) b\/\1$/s.exec(read) ?? [];
    return [name, same].filter((each) => each !== undefined);
  });
}

const escapes: Record<string, string> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** The text of a C string. Numbers are bytes of UTF-8. */
function unquote(quoted: string): string {
  return quoted.replace(/(?:\\[0-7]{3})+|\\(.)/g, (found: string, letter: string | undefined) =>
    letter === undefined
      ? new TextDecoder().decode(Uint8Array.from(found.slice(1).split("\\"), (byte) => Number.parseInt(byte, 8)))
      : (escapes[letter] ?? letter),
  );
}
