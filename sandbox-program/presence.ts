// Whether a file exists. In the image, the program has the agent's rights on files, but Node's
// `existsSync` and `access` ask with the rights of its real user. That user may not enter a folder
// that the agent closed to others.
import { statSync } from "node:fs";

/** True if a file or folder exists, and the program may know of it. Follows links. */
export function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}
