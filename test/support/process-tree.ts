// Process trees, from /proc. A process is identified by its pid and its start time, because pids
// are reused.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Process {
  id: number;
  startedAt: string;
}

/** A process and its descendants, parents before children. */
export function processTree(rootId: number): Process[] {
  const parents = new Map(allIds().map((id) => [id, readFields(id)?.parent ?? 0]));
  const tree: number[] = [rootId];
  for (const id of tree) tree.push(...[...parents.keys()].filter((child) => parents.get(child) === id));
  return tree.flatMap((id) => {
    const fields = readFields(id);
    return fields ? [{ id, startedAt: fields.startedAt }] : [];
  });
}

/** False for a process that has ended, even as a zombie. */
export function isAlive({ id, startedAt }: Process): boolean {
  return readFields(id)?.startedAt === startedAt;
}

/** Signals the processes that are still alive. */
export function signalAll(processes: Process[], name: NodeJS.Signals): void {
  for (const process_ of processes.filter(isAlive)) {
    try {
      process.kill(process_.id, name);
    } catch {
      // The process has ended already.
    }
  }
}

/** The command line, with spaces between its parts; empty for a process that has ended. */
export function readCommand({ id }: Process): string {
  return read(`/proc/${id}/cmdline`).replaceAll("\0", " ").trim();
}

/** The folder a process works in; empty for one that has ended. */
export function readFolder({ id }: Process): string {
  try {
    return readlinkSync(`/proc/${id}/cwd`);
  } catch {
    return "";
  }
}

/** All processes whose working directory is a folder or below it. */
export function listProcesses(folder: string): Process[] {
  return allIds().flatMap((id) => {
    const fields = readFields(id);
    if (!fields || !`${readFolder({ id, ...fields })}/`.startsWith(`${folder}/`)) return [];
    return [{ id, startedAt: fields.startedAt }];
  });
}

function allIds(): number[] {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function readFields(id: number): { parent: number; startedAt: string } | null {
  const stat = read(`/proc/${id}/stat`);
  // The name before the last parenthesis may contain spaces and parentheses.
  const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z" || state === "X") return null;
  return { parent: Number(parent), startedAt: rest[17] ?? "" };
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
