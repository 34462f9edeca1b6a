// The process family of the next turn, with shells that become its first commands. It is opened
// behind the end of a turn, so that the next one need not wait for it. A turn before which none was
// opened opens its own.
import type { Folders } from "../folders.ts";
import { createProcessFamily, type ProcessFamily } from "../process/process-family.ts";

/** Behind this pause, the work of the last turn is being saved elsewhere. */
const pauseMs = 50;
/**
 * The commands that a turn starts without starting a process, before each further one has a shell
 * prepared.
 */
const shells = 3;

let next: ProcessFamily | null = null;

/** A family for a turn, which is opened when it is used. */
export const createFamily = (folders: Folders): ProcessFamily => createProcessFamily(folders, "SWITCHYARD_TURN");

/** Opens a family for the next turn, a moment later. It ends with the program. */
export function prepareFamily(folders: Folders): void {
  if (next?.isPrepared()) return;
  setTimeout(() => {
    if (next?.isPrepared()) return;
    void next?.close();
    next = createFamily(folders);
    next.prepare(shells);
  }, pauseMs).unref();
}

/** The family that was opened for this turn, or a new one. */
export function takeFamily(folders: Folders): ProcessFamily {
  const taken = next;
  next = null;
  if (taken?.isPrepared()) return taken;
  void taken?.close();
  return createFamily(folders);
}
