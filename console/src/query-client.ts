// What the console has read. What a person may no longer read leaves it, so that every page shows
// the refusal and no data.
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { isClosed } from "./ui/refusal.tsx";

/** The key of the workspaces of the person. */
export const workspacesKey = ["workspaces"] as const;

/**
 * A cache of reads. Data goes when its next read is refused with 403 or 404; then the workspaces
 * are read again, because the person may have left one.
 */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error, query) {
        if (!isClosed(error) || query.state.data === undefined) return;
        // The time of the last read stays: a page may say that what was there is gone.
        query.setState({ data: undefined });
        client.invalidateQueries({ queryKey: workspacesKey });
      },
    }),
    // The library repeats what is harmless to repeat, so a query does not.
    defaultOptions: { queries: { retry: false, staleTime: 15_000 } },
  });
  return client;
}

/** Drops what no page shows, and reads again what one does: a workspace is closed to the person. */
export function dropClosed(client: QueryClient): void {
  client.removeQueries({ type: "inactive" });
  client.invalidateQueries();
}
