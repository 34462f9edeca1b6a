// What messages have passed to the agent: those that are followed, earlier ones as far back as the
// oldest open comment, and those in Up next. Everybody's browser reads the same.
import type { Schemas, Session } from "@switchyard/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { service } from "../api.ts";
import type { LiveSession } from "../session/live-session.ts";
import { commentsKey } from "./changed-files.ts";
import type { Comment } from "./queries.ts";
import { findOldest, listSentTimes, reachesBack, type SentTimes } from "./unsent.ts";

const none: Schemas["Message"][] = [];

/** Reads pages from the newest back to a time. Tools' outputs are left out. */
async function readSince({ projectId, id }: Session, time: string, signal: AbortSignal): Promise<Schemas["Message"][]> {
  const messages: Schemas["Message"][] = [];
  for (let before: string | null = ""; before !== null; ) {
    const page: { messages: Schemas["Message"][]; before?: string | null } = await service.request(
      "GET /api/projects/{projectId}/chat-sessions/{sessionId}/messages",
      {
        path: { projectId, sessionId: id },
        query: { outputs: 0, ...(before ? { before } : {}) },
        signal,
      },
    );
    messages.push(...page.messages.filter(({ context }) => context?.diffCommentIds));
    before = reachesBack(page.messages, time) ? null : (page.before ?? null);
  }
  return messages;
}

/** When comments were sent; null while that is not known. */
export function useSentTimes(session: Session, live: LiveSession, comments: readonly Comment[]): SentTimes | null {
  const oldest = findOldest(comments);
  const followed = live.state?.messages ?? null;
  const needsEarlier = oldest !== null && followed !== null && !reachesBack(followed, oldest);
  const earlier = useQuery({
    queryKey: [...commentsKey(session.id), "sent", oldest],
    queryFn: ({ signal }) => readSince(session, oldest ?? "", signal),
    enabled: needsEarlier,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  // Up next keeps this read fresh.
  const queue = useQuery({ queryKey: ["queue", session.id], queryFn: () => session.upNext.list(), enabled: false });
  const waits = (live.state?.queue?.count ?? 0) > 0;
  const waiting = waits ? queue.data?.messages : none;
  const isKnown = followed !== null && waiting !== undefined && !(needsEarlier && earlier.isPending);
  return useMemo(
    () => (isKnown ? listSentTimes([...(earlier.data ?? none), ...followed], waiting) : null),
    [isKnown, earlier.data, followed, waiting],
  );
}
