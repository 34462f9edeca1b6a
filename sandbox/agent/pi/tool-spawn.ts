// How pi's own tools start a program: in the place of Node's `spawn`, which the build exchanges for this one, so that what they run is
// a member of the turn's family.
import { type ChildProcess, type SpawnOptions, spawn as spawnInProgram } from "node:child_process";
import type { ProcessFamily } from "../../process/process-family.ts";

let currentFamily: (() => ProcessFamily) | null = null;

/** Names whose members the tools' programs are. The family is to be open when a tool runs. */
export function spawnToolsIn(family: () => ProcessFamily): void {
  currentFamily = family;
}

/** Starts a tool's program. */
export function spawn(file: string, args: string[], options: SpawnOptions): ChildProcess {
  if (!currentFamily) throw new Error("No turn is running.");
  const family = currentFamily();
  const [entered = "", ...rest] = family.enter([file, ...args], String(options.cwd ?? process.cwd()));
  // In a group of its own, as a command is.
  const child = spawnInProgram(entered, rest, { ...options, detached: true });
  if (child.pid !== undefined) family.addGroup(child.pid);
  return child;
}
