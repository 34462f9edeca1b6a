// The enclosure of the next turn, with the shell that starts its commands. It is opened behind the end of a turn, so that the next one need not
// wait for it. A turn before which none was opened opens its own.
import type { Folders } from "../folders.ts";
import { type Enclosure, openEnclosure } from "./enclosure.ts";
import { type SpawnerShell, startSpawnerShell } from "./spawner-shell.ts";
import { standingWall } from "./wall.ts";

export interface ReadyEnclosure {
  enclosure: Enclosure;
  shell: SpawnerShell;
}

/** Behind this pause, the work of the last turn is being saved elsewhere. */
const pauseMs = 50;

let ready: ReadyEnclosure | null = null;
let isOpening = false;

/** Opens an enclosure for the next turn, a moment later. It ends with the program. */
export function prepareEnclosure(folders: Folders): void {
  if (isOpening || standingWall() === "none") return;
  isOpening = true;
  setTimeout(
    () =>
      open(folders)
        .catch(() => {})
        .finally(() => {
          isOpening = false;
        }),
    pauseMs,
  ).unref();
}

/** The enclosure that was opened for this turn; null if there is none. */
export function takeEnclosure(): ReadyEnclosure | null {
  const taken = ready;
  ready = null;
  if (taken === null || taken.shell.canRun()) return taken;
  void taken.enclosure.end();
  return null;
}

async function open(folders: Folders): Promise<void> {
  const wall = standingWall();
  if (wall === "none" || ready?.shell.canRun()) return;
  const enclosure = await openEnclosure(wall, folders);
  const shell = startSpawnerShell(enclosure);
  if (shell) ready = { enclosure, shell };
  else await enclosure.end();
}
