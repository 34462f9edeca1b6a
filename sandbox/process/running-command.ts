// A command that runs, however it was started.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Entry } from "./entry.ts";
import type { ProcessFamily } from "./process-family.ts";
import { spawnMember } from "./spawn-member.ts";
import { ownIds } from "./users.ts";

export interface RunningCommand {
  stdout: Readable;
  stderr: Readable;
  /** Null for a command without input. */
  stdin: Writable | null;
  /** The exit code; null after a signal. Rejects if the command could not be started. */
  ended: Promise<number | null>;
  /** Signals the command and what it started, but for what left its process group. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

/** Starts a command in a process group of its own, as a member of a family if it has one. */
export function startCommand(entry: Entry, family: ProcessFamily | undefined, hasInput: boolean): RunningCommand {
  const options: SpawnOptions = { stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe"] };
  const [file = "", ...args] = entry.argv;
  const child = family
    ? spawnMember(family, entry, options)
    : spawn(file, args, { ...options, cwd: entry.cwd, env: entry.env, ...ownIds(), detached: true });
  return runningChild(child);
}

function runningChild(child: ChildProcess): RunningCommand {
  const { stdin, stdout, stderr, pid } = child;
  if (!stdout || !stderr) throw new Error("A command has an output.");
  return {
    ...{ stdin, stdout, stderr },
    ended: new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject)),
    signal: (name) => signalGroup(pid, name),
  };
}

/** Signals a process group, if it is known and has not ended. */
export function signalGroup(id: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  if (id === undefined) return;
  try {
    process.kill(-id, name);
  } catch {
    // It has ended already.
  }
}
