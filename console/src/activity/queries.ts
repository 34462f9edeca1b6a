// Reads the activity feed page by page, keeps it live, and moves the Seen Mark.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryClient, service } from "../api.ts";
import { onActivity } from "../shell/live-lists.ts";
import { type ActivityEvent, addEvent, isShown } from "./feed.ts";
import type { ActivitySearch } from "./search.ts";

const pageSize = 50;

interface Feed {
  events: readonly ActivityEvent[];
  /** Gives the older events; null after the last one. */
  older: AsyncIterator<ActivityEvent> | null;
}

async function readPage(iterator: AsyncIterator<ActivityEvent>): Promise<Feed> {
  const events: ActivityEvent[] = [];
  while (events.length < pageSize) {
    const { done, value } = await iterator.next();
    if (done) return { events, older: null };
    events.push(value);
  }
  return { events, older: iterator };
}

/** The feed with these filters, from the newest event on. */
export function useFeed(search: ActivitySearch) {
  const queryKey = ["activity", search];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => {
      const pages = service.pages("GET /api/activity", { query: { ...search, limit: pageSize } });
      return readPage(pages[Symbol.asyncIterator]());
    },
    staleTime: Number.POSITIVE_INFINITY,
    // A feed that is not shown misses events.
    gcTime: 0,
  });
  const [reading, setReading] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });
  const change = (toNext: (feed: Feed) => Feed) =>
    queryClient.setQueryData<Feed>(queryKey, (feed) => feed && toNext(feed));

  async function readOlder(): Promise<void> {
    if (!data?.older || reading.isBusy) return;
    setReading({ isBusy: true, error: null });
    try {
      const more = await readPage(data.older);
      change((feed) => ({ events: [...feed.events, ...more.events], older: more.older }));
      setReading({ isBusy: false, error: null });
    } catch (refusal) {
      // An iterator that has failed is over: the feed is read again from its top.
      setReading({ isBusy: false, error: refusal });
      refetch();
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters are what counts.
  useEffect(
    () =>
      onActivity((event) => {
        if (!isShown(event, search)) return;
        change((feed) => ({ ...feed, events: addEvent(feed.events, event) }));
        queryClient.repeatFirstReads({ queryKey });
      }),
    [JSON.stringify(search)],
  );

  return { feed: data, error: error ?? reading.error, readOlder, isReadingOlder: reading.isBusy, refetch };
}

/**
 * Marks everything up to the newest event as seen: immediately here, and taken back if it is
 * refused.
 */
export async function markSeen(through: string, workspaceId: string | undefined): Promise<void> {
  const before = queryClient.getQueriesData<Feed>({ queryKey: ["activity"] });
  queryClient.setQueriesData<Feed>(
    { queryKey: ["activity"] },
    (feed) =>
      feed && {
        ...feed,
        events: feed.events.map((event) =>
          workspaceId === undefined || event.workspaceId === workspaceId ? { ...event, isNew: false } : event,
        ),
      },
  );
  try {
    const body = workspaceId === undefined ? { through } : { through, workspaceId };
    await service.request("PUT /api/activity/seen", { body });
  } catch (error) {
    for (const [queryKey, feed] of before) queryClient.setQueryData(queryKey, feed);
    throw error;
  }
}
