// What a terminal's socket carries besides bytes: its address, its text frames, and why it ended.

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** The service takes sizes up to this. */
const cellsMax = 500;
/** A frame of pasted text. The service takes longer ones, but shows progress by frames. */
const frameBytes = 32 * 1_024;
/** After this much output, the service learns that it was shown. It sends 512 KiB ahead. */
const readStepBytes = 64 * 1_024;
const noStatus = 1005;

const limitCells = (count: number) => Math.min(Math.max(Math.floor(count), 1), cellsMax);

/** A size that the service accepts. */
export function limitSize({ cols, rows }: TerminalSize): TerminalSize {
  return { cols: limitCells(cols), rows: limitCells(rows) };
}

/** The address of the terminal of a session. */
export function createTerminalUrl(
  origin: string,
  { projectId, id }: { projectId: string; id: string },
  size: TerminalSize,
): string {
  const { cols, rows } = limitSize(size);
  const path = `/api/projects/${projectId}/chat-sessions/${id}/preview/terminal?cols=${cols}&rows=${rows}`;
  return origin.replace(/^http/, "ws") + path;
}

/** The sentence of the service's last text frame; null for any other text. */
export function readEnd(text: string): string | null {
  try {
    const frame: unknown = JSON.parse(text);
    const end = typeof frame === "object" && frame !== null && "end" in frame ? frame.end : null;
    return typeof end === "string" ? end : null;
  } catch {
    return null;
  }
}

/** Why a socket ended, where the service did not say it. */
export function describeEnd(code: number, wasOpen: boolean): string {
  if (!wasOpen) return "The terminal could not be opened. Load the page again, then try once more.";
  return code === noStatus || code < 1001
    ? "The shell has ended."
    : "The connection to the terminal broke, and its shell ended.";
}

/** Splits long input, such as a pasted text, into frames. */
export function splitInput(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / frameBytes);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * frameBytes, (at + 1) * frameBytes));
}

/** Input that is bytes already: each character is one. */
export function readBinaryInput(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
}

/** Counts the output that was shown, and reports the sum from time to time. */
export function createReadCounter(report: (total: number) => void): (bytes: number) => void {
  let total = 0;
  let reported = 0;
  return (bytes) => {
    total += bytes;
    if (total - reported < readStepBytes) return;
    reported = total;
    report(total);
  };
}
