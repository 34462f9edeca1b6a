// What a command prints, taken in as it comes in bounded memory: the end of it as it is for the agent, the ends of it redacted for the
// transcript, and, where that is not all, the whole redacted in a file.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { fullToolOutputBytes, toolOutputBytes } from "../../src/rules/limits.ts";
import type { LongOutput } from "../transcript/long-output.ts";
import type { Redaction } from "../transcript/redaction.ts";

export interface CommandOutput {
  write(chunk: Buffer): void;
  /** The end of what was printed, at least as much as was asked for or all of it. */
  tail(): Buffer;
  /** How much was printed. */
  bytes(): number;
  /** Takes no more. Null when a block can show all of it; `status` is a last line of the program's own. */
  finish(status: string): LongOutput | null;
}

const cutNoteBytes = 200;

/** Takes the output of one command, of which the agent reads the last `tailBytes`. Files go to `folder`. */
export function createCommandOutput(folder: string, redaction: Redaction, tailBytes: number): CommandOutput {
  const decoder = new StringDecoder("utf8");
  const redacted = redaction.stream();
  const read = createTail(tailBytes);
  const shown = createSpool(folder);

  return {
    write(chunk) {
      read.push(chunk);
      shown.push(Buffer.from(redacted.push(decoder.write(chunk))));
    },
    tail: read.buffer,
    bytes: read.bytes,
    finish(status) {
      shown.push(Buffer.from(redacted.push(decoder.end()) + redacted.flush() + status));
      return shown.finish();
    },
  };
}

/** The beginning and the end of what is pushed; all of it in a file once it is long. */
function createSpool(folder: string) {
  const tail = createTail(toolOutputBytes);
  let start = Buffer.alloc(0);
  let file: { path: string; descriptor: number; bytes: number } | null = null;

  function openFile(): NonNullable<typeof file> {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${crypto.randomUUID()}.log`);
    const descriptor = openSync(path, "wx", 0o600);
    writeSync(descriptor, start);
    return { path, descriptor, bytes: start.length };
  }

  function push(chunk: Buffer): void {
    tail.push(chunk);
    const ofStart = chunk.subarray(0, toolOutputBytes - start.length);
    if (ofStart.length > 0) start = Buffer.concat([start, ofStart]);
    const rest = chunk.subarray(ofStart.length);
    if (rest.length === 0) return;
    file ??= openFile();
    const kept = rest.subarray(0, Math.max(0, fullToolOutputBytes - cutNoteBytes - file.bytes));
    // Written before the command may go on: what comes faster than the disk takes it does not pile up.
    if (kept.length > 0) writeSync(file.descriptor, kept);
    file.bytes += kept.length;
  }

  function finish(): LongOutput | null {
    if (!file) return null;
    const bytes = tail.bytes();
    if (file.bytes < bytes) {
      const note = Buffer.from(`\n[… ${bytes} bytes in all; the rest is not kept …]\n`);
      writeSync(file.descriptor, note);
      file.bytes += note.length;
    }
    closeSync(file.descriptor);
    return { ends: { start, end: tail.buffer(), bytes }, whole: { path: file.path, bytes: file.bytes } };
  }

  return { push, finish };
}

/** The end of what is pushed: at least `limitBytes` of it, or all, and not much more. */
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
      // Put together now and then, so that many small pieces weigh no more than their bytes.
      if (held > 4 * limitBytes || chunks.length > 1_000) {
        chunks = [Buffer.from(Buffer.concat(chunks).subarray(-limitBytes))];
        held = chunks[0]?.length ?? 0;
      }
    },
    buffer: () => Buffer.concat(chunks),
    bytes: () => bytes,
  };
}
