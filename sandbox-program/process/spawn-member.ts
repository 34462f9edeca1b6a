// Starts a program as a member of a process family, with streams to talk to it.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Entry } from "./entry.ts";
import type { ProcessFamily } from "./process-family.ts";
import { getOwnIds } from "./users.ts";

/** Starts the program. The family must be open. */
export function spawnMember(
  family: ProcessFamily,
  member: Entry,
  options: Omit<SpawnOptions, "cwd" | "env" | "detached"> = {},
): ChildProcess {
  const entry = family.enter(member);
  const [file = "", ...args] = entry.argv;
  // Detached, so that it has its own process group, like a command.
  const child = spawn(file, args, { ...options, ...getOwnIds(), cwd: entry.cwd, env: entry.env, detached: true });
  if (child.pid !== undefined) family.addGroup(child.pid);
  return child;
}
