// A patch of many files within a length. A file whose part does not fit is named in its place, as git names a binary one, and the patch goes
// on behind it.
import type { GitPatch } from "../../src/sandbox/protocol.ts";

export interface PatchParts {
  /** Takes the next piece of what git writes. */
  take(piece: Buffer): void;
  /** The patch within the length. */
  fitted(): GitPatch;
  /** All of it up to the last line that fits, where it has no more than one part; else the patch within the length. */
  begun(): GitPatch;
}

/** Every other line of a patch begins with another character, or goes on a part. */
const partMark = "\ndiff --";
/** A part says of which file it is within this much. */
const headBytes = 32 * 1_024;
/** Of all files that are only named. */
const namedBytes = 256 * 1_024;

/** Begins a patch of no more than so many bytes, and the names of the files that are left out. */
export function openPatchParts(bytesMax: number): PatchParts {
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
    // A copy, so that no piece is held for a few bytes of it.
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
      // A mark may go on in the next piece.
      const sure = Math.max(0, text.length - partMark.length + 1);
      add(text.subarray(0, sure));
      pending = text.subarray(sure);
    },
    fitted() {
      end();
      return fitted();
    },
    begun() {
      end();
      if (first === null || !isCut) return fitted();
      return { patch: first.subarray(0, first.lastIndexOf("\n") + 1).toString(), isCut };
    },
  };
}

/** The head of a part, and that its lines are left out. */
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
  // What has no lines says all in its head.
  if (from === undefined) return part;
  return Buffer.from(`${kept.join("\n")}\nFiles ${from} and ${to} differ; the lines are too many to be shown\n`);
}
