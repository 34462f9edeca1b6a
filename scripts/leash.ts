// The leash of the one-machine world: a pipe that `setup.mjs` holds open. However that process
// ends, the system closes the pipe, and the world saves its sandboxes and ends.
import { Socket } from "node:net";

/** The variable with the descriptor of the pipe. */
export const leashVariable = "SWITCHYARD_LEASH";

/**
 * Calls back once the process at the other end is gone, or never without a leash. Deletes the
 * variable from the environment.
 */
export function watchLeash(env: Record<string, string | undefined>, onEnd: () => void): void {
  const descriptor = Number(env[leashVariable]);
  delete env[leashVariable];
  if (!Number.isInteger(descriptor) || descriptor < 3) return;
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  // Some systems report the end of a killed process as an error. `close` follows both.
  pipe.on("error", () => {});
  pipe.once("close", onEnd).resume().unref();
}
