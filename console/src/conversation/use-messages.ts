// All messages of a conversation that are known: those that follow live, and earlier pages.
import type { SessionState, ShownMessage } from "@switchyard/client";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { service } from "../api.ts";
import { newestItems } from "../session/live-session.ts";
import { countParts, type Job, joinMessages, toShown } from "./turns.ts";

/** How much of a tool's output comes with an earlier page; more is read when it is opened. */
const earlierOutputCharacters = 4_000;
const partsOfPage = 100;
const jobsOfPage = 100;
/** A page of the newest messages has as many parts at most. */
const mostParts = 500;

interface Earlier {
  messages: readonly ShownMessage[];
  /** Where the page before begins; undefined before the first was read, null at the beginning. */
  before: string | null | undefined;
}

export interface Messages {
  messages: readonly ShownMessage[];
  jobs: ReadonlyMap<string, Job>;
  hasMore: boolean;
  isLoading: boolean;
  error: unknown;
  /** Reads an earlier page, and says when it is about to be shown. */
  loadEarlier: (onShow: () => void) => Promise<void>;
}

type Path = { projectId: string; sessionId: string };

export function useMessages(path: Path, state: SessionState): Messages {
  const [earlier, setEarlier] = useState<Earlier>({ messages: [], before: undefined });
  const [isLoading, setIsLoading] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const known = useRef<readonly ShownMessage[]>([]);

  // What was seen stays: a state that was read again begins later. Where it does not reach what was
  // seen, what is between is not known, and all before it is read again.
  const { messages, isGap } = useMemo(() => {
    const [begin] = known.current;
    const live = joinMessages(known.current, state.messages);
    known.current = live;
    const [first] = live;
    const isGap = begin !== undefined && (begin.id !== first?.id || begin.firstBlockIndex !== first.firstBlockIndex);
    return { messages: isGap ? live : joinMessages(earlier.messages, live, true), isGap };
  }, [earlier.messages, state.messages]);
  const jobs = useJobs(path, state.jobs, messages);
  const [hasGap, setHasGap] = useState(false);
  useEffect(() => {
    if (!isGap) return;
    setHasGap(true);
    setEarlier({ messages: [], before: undefined });
  }, [isGap]);

  const [couldHaveMore] = useState(() => countParts(state.messages) >= newestItems);
  const hasMore = earlier.before === undefined ? couldHaveMore || hasGap : earlier.before !== null;

  const { projectId, sessionId } = path;
  const { before } = earlier;
  const loadEarlier = useCallback(
    async (onShow: () => void) => {
      setIsLoading(true);
      setError(null);
      try {
        const limit = before === undefined ? Math.min(mostParts, countParts(known.current) + partsOfPage) : partsOfPage;
        const page = await service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/messages", {
          path: { projectId, sessionId },
          query: { limit, outputs: earlierOutputCharacters, ...(before ? { before } : {}) },
        });
        onShow();
        setEarlier((have) => ({
          messages: joinMessages(toShown(page.messages), have.messages, true),
          before: page.before ?? null,
        }));
      } catch (failure) {
        setError(failure);
      }
      setIsLoading(false);
    },
    [projectId, sessionId, before],
  );

  return { messages, jobs, hasMore, isLoading, error, loadEarlier };
}

/**
 * The turns by their ids: a read of the newest hundred, what events said since, and older pages
 * once a message of theirs is shown.
 */
function useJobs(
  { projectId, sessionId }: Path,
  live: readonly Job[],
  messages: readonly ShownMessage[],
): ReadonlyMap<string, Job> {
  // A state that begins again has only the newest job, so the others are read again.
  const begin = live[0]?.id;
  const [asked, setAsked] = useState({ begin, page: 1 });
  const page = asked.begin === begin ? asked.page : 1;
  const { data } = useQuery({
    queryKey: ["jobs", sessionId, begin, page],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/jobs/chat", {
        path: { projectId, sessionId },
        query: { page, pageSize: jobsOfPage },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const known = useRef<ReadonlyMap<string, Job>>(new Map());
  const jobs = useMemo(() => {
    known.current = new Map([...known.current, ...[...(data ?? []), ...live].map((job) => [job.id, job] as const)]);
    return known.current;
  }, [data, live]);
  const isShort = data?.length === jobsOfPage && messages.some(({ jobId }) => !jobs.has(jobId));
  useEffect(() => {
    if (isShort) setAsked({ begin, page: page + 1 });
  }, [isShort, begin, page]);
  return jobs;
}
