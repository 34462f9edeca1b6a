// The folder in memory that tests write to, where the machine has one. No test needs its files
// after a power cut, and objects and databases wait for the disk at each commit: tests on a disk
// take half as long again.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
/** Free memory that is needed, in bytes: what a whole run writes, several times over. */
const neededBytes = 8 * 2 ** 30;

/**
 * Makes the folder of this process and returns it; `null` where the machine has no memory for it.
 * The folder ends with the process.
 */
export function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (Math.min(bavail * bsize, freemem()) < neededBytes) return null;
    // Processes of other namespaces share the memory but cannot be seen, so their folders are kept.
    const prefix = `switchyard-tests-${readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")}-`;
    removeAbandoned(prefix);
    const folder = join(memory, `${prefix}${process.pid}`);
    mkdirSync(folder, { recursive: true });
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return runsPrograms(folder) ? folder : null;
  } catch {
    return null;
  }
}

/** Removes the folders of processes that were killed. */
function removeAbandoned(prefix: string): void {
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length)))) {
      rmSync(join(memory, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Some machines run no program from memory. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "trial.sh");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  execFileSync(program);
  rmSync(program);
  return true;
}
