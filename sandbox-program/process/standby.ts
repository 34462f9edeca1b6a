// The standby of a process family: shells that wait at the wall and become the next commands.
// Getting behind a wall takes longer than many commands; a standby has done most of that before the
// command is known.
import { type ChildProcess, spawn } from "node:child_process";
import { type Entry, formatOrder } from "./entry.ts";
import { getOwnIds } from "./users.ts";

export interface Standby {
  /** The number of shells that wait. */
  waiting(): number;
  /** Starts one more waiting shell. */
  start(waiting: Entry): ChildProcess;
  /**
   * Turns a waiting shell into the command, without input. Null if none waits, or if the command
   * must be started normally.
   */
  become(command: Entry): ChildProcess | null;
}

/**
 * Some shells read their input byte by byte. A command with a longer order starts as fast without a
 * standby.
 */
const orderCharsMax = 32_768;

export function createStandby(): Standby {
  let shells: ChildProcess[] = [];

  function living(): ChildProcess[] {
    shells = shells.filter(({ pid, exitCode, signalCode }) => pid !== undefined && exitCode === null && !signalCode);
    return shells;
  }

  return {
    waiting: () => living().length,
    start({ argv: [file = "", ...args], cwd, env }) {
      const shell = spawn(file, args, { cwd, env, ...getOwnIds(), detached: true, stdio: ["pipe", "pipe", "pipe"] });
      // A shell that failed to start, or was killed, is filtered out by `living`.
      shell.once("error", () => {});
      shell.stdin.on("error", () => {});
      shells.push(shell);
      return shell;
    },
    become(command) {
      const order = formatOrder(command);
      if (order === null || order.length > orderCharsMax) return null;
      const shell = living().shift();
      shell?.stdin?.end(order);
      return shell ?? null;
    },
  };
}
