// The content of a base: a checkout and the files that setup created in it. Files that a shell or
// git would execute in a later session are excluded.
import type { RawPath } from "./raw-path.ts";

const leftOut = ["home", "project/.git/config", "project/.git/hooks"];

/** True if the path may be part of a base. */
export function isOfBase(path: RawPath): boolean {
  return !leftOut.some((one) => path === one || path.startsWith(`${one}/`));
}
