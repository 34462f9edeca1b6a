// The title of the document: how many sessions wait, and where the person is.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { listInboxFilters } from "../inbox/queries.ts";
import { sessionsQuery } from "../session/queries.ts";
import { toVisibleName } from "../ui/visible.ts";
import { formatTitle } from "./words.ts";

/** Names the document by the page that is shown; null while its name is not known. */
export function useTitle(page: string | null): void {
  const { data } = useQuery({ ...sessionsQuery(listInboxFilters("me")[0] ?? {}), enabled: false });
  const title = formatTitle(page && toVisibleName(page), data?.length ?? 0);
  useEffect(() => {
    document.title = title;
  }, [title]);
}
