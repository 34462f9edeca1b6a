// The text frames of a terminal's sockets. What the shell reads and prints is in binary frames. All
// senders are strangers to their receivers, so a frame counts only if it is well-formed.
import { terminalSizeMax } from "./limits.ts";

/** The path of the sandbox program for a terminal's socket. */
export const terminalPath = "/terminal";

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** From the browser: the size of its window, or how much output it has shown so far, in bytes. */
export type TerminalCommand = { resize: TerminalSize } | { read: number };

/** From the sandbox program: how much input the shell has taken so far, or why it has ended. */
export type TerminalReport = { taken: number } | { end: string };

/** The first frame to the sandbox program. */
export interface TerminalOpening {
  open: TerminalSize & { env: Record<string, string> };
}

const commandCharacters = 200;
const reportCharacters = 1_000;
const endCharacters = 300;

/** Reads a text frame of a browser; null for one that is malformed. */
export function readTerminalCommand(text: string): TerminalCommand | null {
  const frame = readFields(text, commandCharacters);
  const size = toSize(frame?.resize);
  if (size) return { resize: size };
  return isByteCount(frame?.read) ? { read: frame.read } : null;
}

/** Reads a text frame of a sandbox program; null for one that is malformed. */
export function readTerminalReport(text: string): TerminalReport | null {
  const frame = readFields(text, reportCharacters);
  if (isByteCount(frame?.taken)) return { taken: frame.taken };
  return typeof frame?.end === "string" ? { end: frame.end.slice(0, endCharacters) } : null;
}

/** Reads the first frame to the sandbox program; null for one that is malformed. */
export function readTerminalOpening(text: string): TerminalOpening["open"] | null {
  const opening = toFields(readFields(text, Number.POSITIVE_INFINITY)?.open);
  const size = toSize(opening);
  const env = toFields(opening?.env);
  if (!size || !env || Object.values(env).some((value) => typeof value !== "string")) return null;
  return { ...size, env: env as Record<string, string> };
}

function readFields(text: string, mostCharacters: number): Record<string, unknown> | null {
  if (text.length > mostCharacters) return null;
  try {
    return toFields(JSON.parse(text));
  } catch {
    return null;
  }
}

function toFields(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
}

function toSize(value: unknown): TerminalSize | null {
  const { cols, rows } = toFields(value) ?? {};
  return isCellCount(cols) && isCellCount(rows) ? { cols, rows } : null;
}

const isCellCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= terminalSizeMax;

const isByteCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
