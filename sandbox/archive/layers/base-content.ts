// What a base may hold: a checkout and what its setup made in it, and nothing that a shell or git of a later session runs unasked.
import type { RawPath } from "./raw-path.ts";

const leftOut = ["home", "project/.git/config", "project/.git/hooks"];

/** True for a path that may be part of a base. */
export function isOfBase(path: RawPath): boolean {
  return !leftOut.some((one) => path === one || path.startsWith(`${one}/`));
}
