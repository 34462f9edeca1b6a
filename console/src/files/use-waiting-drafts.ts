// Saves the files that were to be saved after the turn and that are not open.
import { useEffect, useRef } from "react";
import type { LiveSession } from "../session/live-session.ts";
import { isTurnRunning } from "../session/turn-state.ts";
import { listWaitingPaths, saveWaiting } from "./draft.ts";

/** Saves the drafts that wait, once no turn runs. The file that is open saves its own. */
export function useWaitingDrafts(live: LiveSession, openPath: string | undefined): void {
  const { session } = live;
  const isDue = live.state !== null && !isTurnRunning(live);
  const open = useRef(openPath);
  open.current = openPath;
  useEffect(() => {
    if (!isDue || !session) return;
    for (const path of listWaitingPaths(session.id))
      if (path !== open.current)
        saveWaiting(session.id, path, async (text, baseHash) => {
          const { saveFile } = await import("./queries.ts");
          return await saveFile(session, path, { content: text, baseHash });
        });
  }, [isDue, session]);
}
