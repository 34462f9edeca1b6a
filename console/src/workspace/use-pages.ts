// A list that is read page by page, from the newest item on.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient } from "../api.ts";

interface Read<Item> {
  items: readonly Item[];
  /** Gives the older items; null after the last one. */
  older: AsyncIterator<Item> | null;
}

async function readPage<Item>(iterator: AsyncIterator<Item>, size: number): Promise<Read<Item>> {
  const items: Item[] = [];
  while (items.length < size) {
    const { done, value } = await iterator.next();
    if (done) return { items, older: null };
    items.push(value);
  }
  return { items, older: iterator };
}

interface PagesOptions<Item> {
  queryKey: readonly unknown[];
  size: number;
  open: () => AsyncIterable<Item>;
  /** True while the first page is read again every few seconds. */
  isChanging?: (items: readonly Item[]) => boolean;
}

const changingMs = 5_000;

export function usePages<Item>({ queryKey, size, open, isChanging }: PagesOptions<Item>) {
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => readPage(open()[Symbol.asyncIterator](), size),
    gcTime: 0,
    refetchOnWindowFocus: false,
    // Older pages that were read stay.
    refetchInterval: ({ state: { data } }) =>
      data && data.items.length <= size && isChanging?.(data.items) ? changingMs : false,
  });
  const [reading, setReading] = useState<{ isBusy: boolean; error: unknown }>({ isBusy: false, error: null });

  async function readOlder(): Promise<void> {
    if (!data?.older || reading.isBusy) return;
    setReading({ isBusy: true, error: null });
    try {
      const more = await readPage(data.older, size);
      queryClient.setQueryData<Read<Item>>(queryKey, (read) => ({
        items: [...(read?.items ?? []), ...more.items],
        older: more.older,
      }));
      setReading({ isBusy: false, error: null });
    } catch (refusal) {
      // An iterator that has failed is over: the list is read again from its top.
      setReading({ isBusy: false, error: refusal });
      refetch();
    }
  }

  return {
    items: data?.items,
    error: error ?? reading.error,
    hasOlder: data?.older != null,
    isReading: reading.isBusy,
    readOlder,
    refetch,
  };
}
