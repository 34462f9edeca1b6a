// The processes that run on this machine, as the kernel lists them.
import { readdirSync, readFileSync } from "node:fs";

/** The ids of all processes on the machine but this one. */
export function listOtherProcesses(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((id) => Number.isInteger(id) && id !== process.pid);
}

/** The process group of a running process; 0 for an ended one, even as a zombie. */
export function getLivingGroup(id: number): number {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "latin1");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? 0 : Number(group);
  } catch {
    return 0;
  }
}

/** False for a process that has ended, even as a zombie. */
export const isRunning = (id: number): boolean => getLivingGroup(id) !== 0;
