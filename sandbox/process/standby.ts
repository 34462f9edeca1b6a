// The standby of a process family: shells that wait at the wall and become the next commands. The
// way behind a wall takes longer than many a command; a standby has gone most of it before the
// command is known.
import { type ChildProcess, spawn } from "node:child_process";
import { type Entry, orderOf } from "./entry.ts";
import { ownIds } from "./users.ts";

export interface Standby {
  /** The number of shells that wait. */
  waiting(): number;
  /** Has one more shell wait. */
  start(waiting: Entry): ChildProcess;
  /**
   * A shell that waits, which becomes the command, without input; null if none waits, or if the
   * command has to be started as others are.
   */
  become(command: Entry): ChildProcess | null;
}

/**
 * Some shells read what they are told byte by byte. A command of a longer order starts as fast
 * without a standby.
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
      const shell = spawn(file, args, { cwd, env, ...ownIds(), detached: true, stdio: ["pipe", "pipe", "pipe"] });
      // A shell that could not be started, or was killed, is no longer among the living.
      shell.once("error", () => {});
      shell.stdin.on("error", () => {});
      shells.push(shell);
      return shell;
    },
    become(command) {
      const order = orderOf(command);
      if (order === null || order.length > orderCharsMax) return null;
      const shell = living().shift();
      shell?.stdin?.end(order);
      return shell ?? null;
    },
  };
}
