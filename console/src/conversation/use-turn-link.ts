// The turn that the address names, such as `?turn=…`: it is read if it is not there yet, opened and
// brought into view, once.
import { useEffect, useRef } from "react";
import type { Turn } from "./turns.ts";
import type { Follow } from "./use-follow.ts";
import type { Messages } from "./use-messages.ts";

/** An older turn than this many pages is left to the reader. */
const pagesAtMost = 40;

interface TurnLink {
  /** The id of the turn; undefined where the address names none. */
  jobId: string | undefined;
  turns: readonly Turn[];
  found: Messages;
  follow: Follow;
  onOpen: (jobId: string, isOpen: boolean) => void;
}

export function useTurnLink({ jobId, turns, found, follow, onOpen }: TurnLink): void {
  const shown = useRef<string | null>(null);
  const pages = useRef(0);
  const isThere = turns.some((turn) => turn.jobId === jobId);
  const { hasMore, isLoading, error, loadEarlier } = found;
  const { content, holdPlace, goTo } = follow;

  useEffect(() => {
    if (jobId === undefined || shown.current === jobId) return;
    if (isThere) {
      shown.current = jobId;
      onOpen(jobId, true);
      // The turn is drawn open first.
      requestAnimationFrame(() => {
        const turn = content.current?.querySelector<HTMLElement>(`[data-turn="${CSS.escape(jobId)}"]`);
        if (turn) goTo(turn);
      });
    } else if (hasMore && !isLoading && error === null && pages.current < pagesAtMost) {
      pages.current++;
      loadEarlier(holdPlace);
    }
  }, [jobId, isThere, hasMore, isLoading, error, loadEarlier, holdPlace, goTo, content, onOpen]);
}
