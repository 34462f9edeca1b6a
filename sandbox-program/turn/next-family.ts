// The process family of the next turn, with shells that become its first commands. It is opened
// after the end of a turn, so that the next turn need not wait for it. If none was opened, a turn
// opens its own.
import type { Folders } from "../folders.ts";
import { createProcessFamily, type ProcessFamily } from "../process/process-family.ts";

/** After this delay, the work of the last turn is being saved elsewhere. */
const pauseMs = 50;
/**
 * The number of shells prepared for a turn's first commands, which then start without a new
 * process. Each further command gets its shell prepared later.
 */
const shells = 3;

let next: ProcessFamily | null = null;

/** A family for a turn, which is opened when it is used. */
export const createFamily = (folders: Folders): ProcessFamily => createProcessFamily(folders, "SWITCHYARD_TURN");

/** Opens a family for the next turn after a short delay. It ends with the program. */
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
export function claimFamily(folders: Folders): ProcessFamily {
  const taken = next;
  next = null;
  if (taken?.isPrepared()) return taken;
  void taken?.close();
  return createFamily(folders);
}
