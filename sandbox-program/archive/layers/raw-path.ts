// A raw path: a path below the sandbox's folder with one character for each byte, because a file
// name need not be valid UTF-8.
import { Buffer } from "node:buffer";

export type RawPath = string;

const asciiPattern = /^[\x20-\x7e]*$/;

/** True if a raw path and its text are equal for certain. */
export const isAscii = (path: RawPath): boolean => asciiPattern.test(path);

/**
 * A raw path below a folder, for system calls. A buffer costs more than a string, and is needed
 * only for bytes that are not ASCII.
 */
export function toSystemPath(folder: string, path: RawPath): string | Buffer {
  return isAscii(path) ? `${folder}/${path}` : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}

/** A raw path as text. Invalid UTF-8 is replaced. */
export function toPathText(raw: RawPath): string {
  return Buffer.from(raw, "latin1").toString("utf8");
}

/** The raw path of a text. */
export function toRawPath(text: string): RawPath {
  return Buffer.from(text, "utf8").toString("latin1");
}
