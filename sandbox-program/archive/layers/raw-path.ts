// A raw path: a path below the sandbox's folder with one character for each byte, because a file
// name need not be valid UTF-8.
import { Buffer } from "node:buffer";

export type RawPath = string;

/** The bytes of a raw path below a folder, for system calls. */
export function toPathBytes(folder: string, path: RawPath): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);
}

/** A raw path as text. Invalid UTF-8 is replaced. */
export function toPathText(raw: RawPath): string {
  return Buffer.from(raw, "latin1").toString("utf8");
}

/** The raw path of a text. */
export function toRawPath(text: string): RawPath {
  return Buffer.from(text, "utf8").toString("latin1");
}
