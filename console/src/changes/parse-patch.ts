// Parses the patch of git into files, hunks and numbered lines.

export interface PatchLine {
  kind: "same" | "added" | "removed" | "hunk" | "note";
  text: string;
  /** The number before the change; null for an added line, a hunk and a note. */
  old: number | null;
  /** The number after the change; null for a removed line, a hunk and a note. */
  new: number | null;
}

export interface PatchFile {
  path: string;
  previousPath: string | null;
  isBinary: boolean;
  lines: PatchLine[];
  /** The part of the patch that is about this file, as git wrote it. */
  source: string;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** A path as git writes it: with an odd character, in quotes and with its bytes escaped. */
export function unquotePath(written: string): string {
  if (!(written.startsWith('"') && written.endsWith('"') && written.length > 1)) return written;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [, octal, escaped, plain = ""] of written.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (escaped !== undefined) bytes.push(escapes[escaped] ?? escaped.charCodeAt(0));
    else bytes.push(...encoder.encode(plain));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** The path of a line such as `+++ b/src/board.js`; null for `/dev/null`. */
function readSide(written: string): string | null {
  // A tab ends a name with a space in it.
  const name = unquotePath(written.replace(/\t$/, ""));
  return name === "/dev/null" ? null : name.slice(2);
}

/** The path of `diff --git a/x b/x`, which is all that git says of a binary or an empty file. */
function readFirstLine(line: string): string {
  const names = line.slice("diff --git ".length);
  if (names.startsWith('"')) return unquotePath(names.slice(0, names.indexOf('" ') + 1)).slice(2);
  // Both names are the same, so the second one begins in the middle.
  return names.slice((names.length + 1) / 2).slice(2);
}

function parseFile(source: string): PatchFile {
  const written = source.split("\n");
  if (written.at(-1) === "") written.pop();
  let path = readFirstLine(written[0] ?? "");
  let previousPath: string | null = null;
  let isBinary = false;
  const lines: PatchLine[] = [];
  let [oldAt, newAt, oldLeft, newLeft] = [0, 0, 0, 0];
  for (const line of written.slice(1)) {
    const isInHunk = oldLeft > 0 || newLeft > 0;
    const text = line.slice(1);
    if (isInHunk && line.startsWith("+")) {
      lines.push({ kind: "added", text, old: null, new: newAt++ });
      newLeft--;
    } else if (isInHunk && line.startsWith("-")) {
      lines.push({ kind: "removed", text, old: oldAt++, new: null });
      oldLeft--;
    } else if (isInHunk && (line.startsWith(" ") || line === "")) {
      lines.push({ kind: "same", text, old: oldAt++, new: newAt++ });
      oldLeft--;
      newLeft--;
    } else if (line.startsWith("\\")) {
      lines.push({ kind: "note", text: "No newline at the end", old: null, new: null });
    } else {
      const head = hunkHead.exec(line);
      if (head) {
        [oldAt, oldLeft, newAt, newLeft] = [
          Number(head[1]),
          Number(head[2] ?? 1),
          Number(head[3]),
          Number(head[4] ?? 1),
        ];
        lines.push({ kind: "hunk", text: line.slice(head[0].length).trim(), old: oldAt, new: newAt });
      } else if (line.startsWith("--- ")) path = readSide(line.slice(4)) ?? path;
      else if (line.startsWith("+++ ")) path = readSide(line.slice(4)) ?? path;
      else if (line.startsWith("rename from ")) previousPath = unquotePath(line.slice(12));
      else if (line.startsWith("rename to ")) path = unquotePath(line.slice(10));
      else if (line.startsWith("Binary files ") || line === "GIT binary patch") isBinary = true;
    }
  }
  return { path, previousPath, isBinary, lines, source };
}

/** The files of a patch, by path. A file that is cut off has the lines that are there. */
export function parsePatch(patch: string): Map<string, PatchFile> {
  // A line within a hunk begins with a sign, so only a head begins with these words.
  const starts = [...patch.matchAll(/^diff --git /gm)].map(({ index }) => index);
  const files = starts.map((start, at) => parseFile(patch.slice(start, starts[at + 1] ?? patch.length)));
  return new Map(files.map((file) => [file.path, file]));
}
