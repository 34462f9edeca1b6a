// The branch of HEAD and the commits of refs, read from git's own files. A git command for this
// takes milliseconds, which would delay the start and the end of every turn, each commit and each
// push.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Folders } from "../folders.ts";

/** A larger file of packed refs is left to git. */
const packedRefsBytesMax = 2 * 1_024 * 1_024;

/**
 * The commits of refs, such as `refs/heads/main`. Null if git must be asked, because one is missing
 * or is stored in another way.
 */
export function findRefTips(folders: Pick<Folders, "project">, refs: readonly string[]): string[] | null {
  const loose = refs.map((ref) => readPlain(folders, ref));
  // A loose ref takes precedence over a packed one.
  const packed = loose.includes(undefined) ? (readPlain(folders, "packed-refs") ?? null) : null;
  const tips = loose.map((text, at) => findId(text === undefined ? findLine(packed, refs[at] ?? "") : text));
  return tips.every((tip) => tip !== null) ? tips : null;
}

/** True if HEAD is on this branch; false if it is not, or if git must be asked. */
export const isHeadOn = (folders: Pick<Folders, "project">, branch: string): boolean =>
  readPlain(folders, "HEAD") === `ref: refs/heads/${branch}\n`;

/** True if the ref does not exist; false if it does, or if git must be asked. */
export function isRefMissing(folders: Pick<Folders, "project">, ref: string): boolean {
  const head = readPlain(folders, "HEAD");
  // With the reftable format, refs are not files, and git writes an invalid branch into HEAD.
  if (typeof head !== "string" || head.includes(".invalid") || readPlain(folders, ref) !== undefined) return false;
  const packed = readPlain(folders, "packed-refs");
  return packed !== null && findLine(packed ?? null, ref) === null;
}

/**
 * The content of a file of the repository. Undefined if it is missing, null if it is too long or
 * not a regular file.
 */
function readPlain({ project }: Pick<Folders, "project">, name: string): string | null | undefined {
  try {
    // The agent can write there: reading a named pipe would never end.
    const file = openSync(
      join(project, ".git", name),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const found = fstatSync(file);
      if (!found.isFile() || found.size > packedRefsBytesMax) return null;
      const bytes = Buffer.alloc(found.size);
      return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : null;
  }
}

/** The line of a ref in the packed-refs file. */
function findLine(packed: string | null, ref: string): string | null {
  const end = packed?.indexOf(` ${ref}\n`) ?? -1;
  return packed === null || end < 0 ? null : packed.slice(packed.lastIndexOf("\n", end) + 1, end);
}

function findId(text: string | null): string | null {
  const id = text?.trim() ?? "";
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(id) ? id : null;
}
