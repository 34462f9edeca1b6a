// The `spawn` of pi's own tools. The build replaces Node's `spawn` with it, so that their programs
// join the turn's process family.
import type { ChildProcess, SpawnOptions } from "node:child_process";
import type { ProcessFamily } from "../../process/process-family.ts";
import { spawnMember } from "../../process/spawn-member.ts";

let currentFamily: (() => ProcessFamily) | null = null;

/** Sets the family that the tools' programs join. It must be open when a tool runs. */
export function setToolFamily(family: () => ProcessFamily): void {
  currentFamily = family;
}

/** Starts a tool's program. */
export function spawn(file: string, args: string[], options: SpawnOptions): ChildProcess {
  if (!currentFamily) throw new Error("No turn is running.");
  const env = Object.fromEntries(
    Object.entries(options.env ?? process.env).filter((one): one is [string, string] => one[1] !== undefined),
  );
  return spawnMember(
    currentFamily(),
    { argv: [file, ...args], cwd: String(options.cwd ?? process.cwd()), env },
    options,
  );
}
