// Limits the length of a patch. A file whose part does not fit is only named, as git does with
// binary files, and the next file follows.
import type { GitPatch } from "../../src/sandbox-protocol/protocol.ts";

export interface PatchParts {
  /** Adds the next chunk of git's output. */
  take(piece: Buffer): void;
  /** The patch within the limit. */
  fitted(): GitPatch;
  /** For a patch of a single file, all lines that fit; otherwise the same as `fitted`. */
  started(): GitPatch;
}

/** The start of a part. No line within a part begins like this. */
const partMark = "\ndiff --";
/** The head of a part, which names the file, is shorter than this. */
const headBytes = 32 * 1_024;
/** The limit for the heads of all files that are only named. */
const namedBytes = 256 * 1_024;

/** Collects a patch of at most `bytesMax`, plus the heads of the files that do not fit. */
export function createPatchParts(bytesMax: number): PatchParts {
  const parts: Buffer[] = [];
  let [room, namedRoom] = [bytesMax, namedBytes];
  let part: Buffer[] = [];
  let partBytes = 0;
  let first: Buffer | null = null;
  let count = 0;
  let isCut = false;
  let pending: Buffer = Buffer.alloc(0);

  function add(bytes: Buffer): void {
    const most = Math.max(room, headBytes);
    if (partBytes < most) part.push(bytes.subarray(0, most - partBytes));
    partBytes += bytes.length;
  }

  function endPart(): void {
    if (partBytes === 0) return;
    // A copy, so that a few bytes do not keep their whole chunk in memory.
    const whole = Buffer.concat(part);
    const fits = partBytes <= room;
    const text = fits ? whole : named(whole);
    first = count === 0 ? whole : null;
    count++;
    isCut ||= !fits;
    if (fits || text.length <= namedRoom) parts.push(text);
    if (fits) room -= text.length;
    else namedRoom -= text.length;
    [part, partBytes] = [[], 0];
  }

  function end(): void {
    add(pending);
    pending = Buffer.alloc(0);
    endPart();
  }

  const fitted = () => ({ patch: Buffer.concat(parts).toString(), isCut });
  return {
    take(piece) {
      let text = Buffer.concat([pending, piece]);
      for (let at = text.indexOf(partMark); at >= 0; at = text.indexOf(partMark)) {
        add(text.subarray(0, at + 1));
        endPart();
        text = text.subarray(at + 1);
      }
      // A mark may be split between two chunks.
      const sure = Math.max(0, text.length - partMark.length + 1);
      add(text.subarray(0, sure));
      pending = text.subarray(sure);
    },
    fitted() {
      end();
      return fitted();
    },
    started() {
      end();
      if (first === null || !isCut) return fitted();
      return { patch: first.subarray(0, first.lastIndexOf("\n") + 1).toString(), isCut };
    },
  };
}

/** The head of a part, with a note that its lines are left out. */
function named(part: Buffer): Buffer {
  const [head = ""] = part.toString().split(/^@@/m, 1);
  const lines = head.split("\n");
  const nameAt = (mark: string) =>
    lines
      .find((line) => line.startsWith(mark))
      ?.slice(mark.length)
      .trimEnd();
  const kept = lines.filter((line) => line !== "" && !/^(---|\+\+\+) /.test(line));
  const [from, to] = [nameAt("--- "), nameAt("+++ ")];
  // A part without lines is complete.
  if (from === undefined) return part;
  return Buffer.from(`${kept.join("\n")}\nFiles ${from} and ${to} differ; the lines are too many to be shown\n`);
}
