// Runs one command to its end, with streamed output, a timeout and an abort. Does not wait for processes that it leaves in the background.
import type { Environment } from "./environment.ts";
import type { ProcessFamily } from "./process-family.ts";
import { startCommand } from "./running-command.ts";
import type { Spawner } from "./spawner.ts";

export interface Command {
  file: string;
  args: string[];
  cwd: string;
  env: Environment;
  input?: string | Buffer | undefined;
  family?: ProcessFamily | undefined;
  /** The family's spawner for the command's folder and environment. */
  spawner?: Spawner | undefined;
  timeoutMs?: number | undefined;
  /** The time between SIGTERM and SIGKILL when the command is stopped. Without it, the command is killed at once. */
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
const signalExitCode = 137;

/** Runs a command in a separate process group. */
export async function runCommand(command: Command): Promise<CommandEnd> {
  await command.family?.open();
  return await runOpened(command);
}

function runOpened(command: Command): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const { file, args, cwd, env, input, family } = command;
    const argv = [file, ...args];
    const running =
      (input === undefined ? command.spawner?.run(argv) : null) ??
      startCommand({ argv, cwd, env }, family, input !== undefined);
    let stopped: CommandEnd["stopped"] = null;
    let exit: number | null = null;
    let grace: NodeJS.Timeout | undefined;
    let kill: NodeJS.Timeout | undefined;
    let openStreams = 2;

    const stop = (reason: "timeout" | "abort") => {
      stopped ??= reason;
      if (command.stopGraceMs === undefined) return running.signal("SIGKILL");
      running.signal("SIGTERM");
      kill ??= setTimeout(() => running.signal("SIGKILL"), command.stopGraceMs);
    };
    const onAbort = () => stop("abort");
    const timer = command.timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), command.timeoutMs);
    command.signal?.addEventListener("abort", onAbort, { once: true });
    if (command.signal?.aborted) onAbort();

    const finish = () => {
      clearTimeout(timer);
      clearTimeout(grace);
      if (kill) {
        clearTimeout(kill);
        // Ends the processes that the command started and left running.
        running.signal("SIGKILL");
      }
      command.signal?.removeEventListener("abort", onAbort);
      running.stdout.destroy();
      running.stderr.destroy();
      family?.forgetEndedGroups();
      resolve({ exitCode: exit ?? signalExitCode, stopped });
    };
    const waitForOutput = () => {
      clearTimeout(grace);
      grace = setTimeout(finish, outputGraceMs);
    };
    for (const stream of ["stdout", "stderr"] as const) {
      running[stream].on("data", (chunk: Buffer) => {
        command.onOutput(chunk, stream);
        if (exit !== null) waitForOutput();
      });
      running[stream].once("end", () => {
        openStreams -= 1;
        if (openStreams === 0 && exit !== null) finish();
      });
    }
    running.ended.then(
      (code) => {
        exit = code ?? signalExitCode;
        if (openStreams === 0) finish();
        else waitForOutput();
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
    // A command may end without reading its input.
    running.stdin?.on("error", () => {});
    running.stdin?.end(input);
  });
}
