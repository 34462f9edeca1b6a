// Whether a process runs.
import { readFileSync } from "node:fs";

/** False for a process that has ended, also while nobody has taken note of it yet. */
export function isAlive(id: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}
