// The `spawn` of pi's own tools. The build replaces Node's `spawn` with it, so that their programs join the turn's process family.
import { type ChildProcess, type SpawnOptions, spawn as spawnInProgram } from "node:child_process";
import type { ProcessFamily } from "../../process/process-family.ts";

let currentFamily: (() => ProcessFamily) | null = null;

/** Sets the family that the tools' programs join. It has to be open when a tool runs. */
export function spawnToolsIn(family: () => ProcessFamily): void {
  currentFamily = family;
}

/** Starts a tool's program. */
export function spawn(file: string, args: string[], options: SpawnOptions): ChildProcess {
  if (!currentFamily) throw new Error("No turn is running.");
  const family = currentFamily();
  const env = Object.fromEntries(
    Object.entries(options.env ?? process.env).filter((one): one is [string, string] => one[1] !== undefined),
  );
  const entry = family.enter({ argv: [file, ...args], cwd: String(options.cwd ?? process.cwd()), env });
  const [entered = "", ...rest] = entry.argv;
  // Detached, so that it has its own process group, like a command.
  const child = spawnInProgram(entered, rest, { ...options, cwd: entry.cwd, env: entry.env, detached: true });
  if (child.pid !== undefined) family.addGroup(child.pid);
  return child;
}
