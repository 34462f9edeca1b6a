// The turn that the address names, such as `?turn=…`: it is read if it is not there yet, opened and
// brought into view, once. A turn that this conversation does not have is said to be missing.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { service } from "../api.ts";
import { isClosed } from "../ui/refusal.tsx";
import type { Turn } from "./turns.ts";
import type { Follow } from "./use-follow.ts";
import type { Messages } from "./use-messages.ts";

const operation = "GET /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat/{jobId}";

/** An older turn than this many pages is left to the reader. */
const pagesAtMost = 40;

type Path = { projectId: string; sessionId: string };

/** A query outlives the page, and with it all that its function can reach: that is only the ids. */
const turnQuery = (path: Path, jobId: string | undefined) =>
  queryOptions({
    queryKey: ["turn-link", path.sessionId, jobId],
    queryFn: ({ signal }) => service.request(operation, { path: { ...path, jobId: jobId ?? "" }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

interface TurnLink {
  path: Path;
  /** The id of the turn; undefined where the address names none. */
  jobId: string | undefined;
  turns: readonly Turn[];
  found: Messages;
  follow: Follow;
  onOpen: (jobId: string, isOpen: boolean) => void;
}

/** Returns true where the address names a turn that is not in this conversation. */
export function useTurnLink({ path, jobId, turns, found, follow, onOpen }: TurnLink): boolean {
  const shown = useRef<string | null>(null);
  const pages = useRef(0);
  const isThere = turns.some((turn) => turn.jobId === jobId);
  const { hasMore, isLoading, error, loadEarlier } = found;
  const { content, holdPlace, goTo } = follow;
  // Reading a whole conversation for a turn that does not exist would take long.
  const { error: refusal } = useQuery({ ...turnQuery(path, jobId), enabled: jobId !== undefined && !isThere });
  const isMissing = jobId !== undefined && !isThere && (isClosed(refusal) || (!hasMore && !isLoading));

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
    } else if (!isMissing && hasMore && !isLoading && error === null && pages.current < pagesAtMost) {
      pages.current++;
      loadEarlier(holdPlace);
    }
  }, [jobId, isThere, isMissing, hasMore, isLoading, error, loadEarlier, holdPlace, goTo, content, onOpen]);
  return isMissing;
}
