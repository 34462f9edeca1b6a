// Collects the output of a command in bounded memory: its unredacted tail for the agent, and its
// redacted beginning and end for the transcript. If these are not all of it, the whole redacted
// output goes to a file.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { fullToolOutputBytes, toolOutputBytes } from "../../src/rules/limits.ts";
import type { Redaction } from "../../src/rules/redaction.ts";
import { isDiskFull } from "../http/refusal.ts";
import { getTextEnd } from "../transcript/capped-text.ts";
import type { LongOutput } from "../transcript/long-output.ts";

export interface CommandOutput {
  write(chunk: Buffer): void;
  /** The tail of the output: at least the requested length, or all of it. */
  tail(): Buffer;
  /** The length of the output. */
  bytes(): number;
  /** The end of the redacted output, and the length of what precedes it in UTF-16 units. */
  shown(): ShownEnd;
  /** Ends the output with a status line. Null if a block can show all of it. */
  finish(status: string): LongOutput | null;
}

export interface ShownEnd {
  at: number;
  /** At most `toolOutputBytes`. */
  text: string;
}

const cutNoteBytes = 200;

/**
 * Collects the output of one command. The agent reads its last `tailBytes`. Files are written to
 * `folder`.
 */
export function createCommandOutput(folder: string, redaction: Redaction, tailBytes: number): CommandOutput {
  const decoder = new StringDecoder("utf8");
  const redacted = redaction.stream();
  const read = createTail(tailBytes);
  const shown = createSpool(folder);
  let shownLength = 0;

  return {
    write(chunk) {
      read.push(chunk);
      const text = redacted.push(decoder.write(chunk));
      shownLength += text.length;
      shown.push(Buffer.from(text));
    },
    tail: read.buffer,
    bytes: read.bytes,
    shown() {
      const text = getTextEnd(shown.tail(), toolOutputBytes);
      return { at: shownLength - text.length, text };
    },
    finish(status) {
      shown.push(Buffer.from(redacted.push(decoder.end()) + redacted.flush() + status));
      return shown.finish();
    },
  };
}

/** Keeps the beginning and the end in memory, and everything in a file once the output is long. */
function createSpool(folder: string) {
  const tail = createTail(toolOutputBytes);
  let start = Buffer.alloc(0);
  let file: { path: string; descriptor: number; bytes: number } | null = null;
  let hasNoRoom = false;

  function openFile(): NonNullable<typeof file> {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${crypto.randomUUID()}.log`);
    const opened = { path, descriptor: openSync(path, "wx", 0o600), bytes: 0 };
    write(opened, start);
    return opened;
  }

  /** Writes what the disk takes. After that the command continues, and its rest is not kept. */
  function write(to: NonNullable<typeof file>, chunk: Buffer): void {
    if (hasNoRoom) return;
    try {
      const written = writeSync(to.descriptor, chunk);
      to.bytes += written;
      hasNoRoom = written < chunk.length;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      hasNoRoom = true;
    }
  }

  function push(chunk: Buffer): void {
    tail.push(chunk);
    const ofStart = chunk.subarray(0, toolOutputBytes - start.length);
    if (ofStart.length > 0) start = Buffer.concat([start, ofStart]);
    const rest = chunk.subarray(ofStart.length);
    if (rest.length === 0) return;
    file ??= openFile();
    const kept = rest.subarray(0, Math.max(0, fullToolOutputBytes - cutNoteBytes - file.bytes));
    // A synchronous write, so that output cannot accumulate in memory faster than the disk takes
    // it.
    if (kept.length > 0) write(file, kept);
  }

  function finish(): LongOutput | null {
    if (!file) return null;
    const bytes = tail.bytes();
    if (file.bytes < bytes) {
      write(file, Buffer.from(`\n[… ${bytes} bytes in all; the rest is not kept …]\n`));
    }
    closeSync(file.descriptor);
    return { ends: { start, end: tail.buffer(), bytes }, whole: { path: file.path, bytes: file.bytes } };
  }

  return { push, tail: tail.buffer, finish };
}

/** Keeps the tail: at least `limitBytes`, or all, and not much more. */
function createTail(limitBytes: number) {
  let chunks: Buffer[] = [];
  let held = 0;
  let bytes = 0;
  return {
    push(chunk: Buffer) {
      if (chunk.length === 0) return;
      chunks.push(chunk);
      held += chunk.length;
      bytes += chunk.length;
      // Chunks are joined from time to time, because each small one has an overhead.
      if (held > 4 * limitBytes || chunks.length > 1_000) {
        chunks = [Buffer.from(Buffer.concat(chunks).subarray(-limitBytes))];
        held = chunks[0]?.length ?? 0;
      }
    },
    buffer: () => Buffer.concat(chunks),
    bytes: () => bytes,
  };
}
