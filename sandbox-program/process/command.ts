// Runs one command to its end, with streamed output, a timeout and an abort. Does not wait for
// processes that it leaves in the background.
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Environment } from "./environment.ts";
import type { ProcessFamily } from "./process-family.ts";
import { spawnMember } from "./spawn-member.ts";
import { getOwnIds } from "./users.ts";

export interface Command {
  file: string;
  args: string[];
  cwd: string;
  env: Environment;
  input?: string | Buffer | undefined;
  family?: ProcessFamily | undefined;
  timeoutMs?: number | undefined;
  /**
   * The time between SIGTERM and SIGKILL when the command is stopped. Without it, the command is
   * killed immediately.
   */
  stopGraceMs?: number | undefined;
  signal?: AbortSignal | undefined;
  onOutput(chunk: Buffer, stream: "stdout" | "stderr"): void;
}

export interface CommandEnd {
  /** 137 after any signal, as a shell reports SIGKILL. */
  exitCode: number;
  stopped: "timeout" | "abort" | null;
}

/** After the exit, the output is read until it pauses this long. */
const outputGraceMs = 50;
/** Later output is not waited for: what the command left running may print forever. */
const outputGraceMsMax = 1_000;
const signalExitCode = 137;

/** Runs a command in a separate process group. */
export async function runCommand(command: Command): Promise<CommandEnd> {
  await command.family?.open();
  return await runOpened(command);
}

function runOpened(command: Command): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const child = start(command);
    let stopped: CommandEnd["stopped"] = null;
    let exit: number | null = null;
    let grace: NodeJS.Timeout | undefined;
    let graceEndsAt = Number.POSITIVE_INFINITY;
    let lastRead: NodeJS.Immediate | undefined;
    let kill: NodeJS.Timeout | undefined;
    let openStreams = 2;

    const stop = (reason: "timeout" | "abort") => {
      stopped ??= reason;
      if (command.stopGraceMs === undefined) return signalGroup(child, "SIGKILL");
      signalGroup(child, "SIGTERM");
      kill ??= setTimeout(() => signalGroup(child, "SIGKILL"), command.stopGraceMs);
    };
    const onAbort = () => stop("abort");
    const timer = command.timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), command.timeoutMs);
    command.signal?.addEventListener("abort", onAbort, { once: true });
    if (command.signal?.aborted) onAbort();

    const finish = () => {
      clearTimeout(timer);
      clearTimeout(grace);
      clearImmediate(lastRead);
      if (kill) {
        clearTimeout(kill);
        // Ends the processes that the command started and left running.
        signalGroup(child, "SIGKILL");
      }
      command.signal?.removeEventListener("abort", onAbort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      command.family?.forgetEndedGroups();
      resolve({ exitCode: exit ?? signalExitCode, stopped });
    };
    const waitForOutput = () => {
      if (performance.now() > graceEndsAt) return;
      clearTimeout(grace);
      clearImmediate(lastRead);
      // Timers run before the streams are read. After a long pause of the program, pending output
      // would be lost.
      grace = setTimeout(() => {
        lastRead = setImmediate(finish);
      }, outputGraceMs);
    };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.on("data", (chunk: Buffer) => {
        command.onOutput(chunk, stream);
        if (exit !== null) waitForOutput();
      });
      child[stream]?.once("end", () => {
        openStreams -= 1;
        if (openStreams === 0 && exit !== null) finish();
      });
    }
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once("exit", (code) => {
      exit = code ?? signalExitCode;
      graceEndsAt = performance.now() + outputGraceMsMax;
      if (openStreams === 0) finish();
      else waitForOutput();
    });
    // A command may end without reading its input.
    child.stdin?.on("error", () => {});
    if (command.input !== undefined) child.stdin?.end(command.input);
  });
}

function start({ file, args, cwd, env, input, family }: Command): ChildProcess {
  const entry = { argv: [file, ...args], cwd, env };
  const waiting = input === undefined ? family?.become(entry) : null;
  if (waiting) return waiting;
  const stdio: StdioOptions = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
  if (family) return spawnMember(family, entry, { stdio });
  return spawn(file, args, { cwd, env, stdio, ...getOwnIds(), detached: true });
}

function signalGroup(child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The process has ended already.
  }
}
