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

/** First parts of keys of what belongs to the person or to the service. No workspace closes it. */
const ownKeys = new Set<unknown>([
  ...["me", "meta", "models", "workspaces", "api-keys", "connected-agents", "code-host", "subscriptions"],
  ...["login-usage", "personal-skills", "personal-skill", "personal-plugins", "push-devices", "notification-settings"],
]);

/**
 * A workspace is closed to the person: drops what no page shows, and reads again what one does.
 * What is known to be of an open workspace stays: its key has an open id in its second place.
 */
export function dropClosed(client: QueryClient, openIds: ReadonlySet<unknown>): void {
  const predicate = ({ queryKey: [name, of] }: { queryKey: readonly unknown[] }) =>
    !ownKeys.has(name) && (name === "message-search" || !openIds.has(of));
  client.removeQueries({ type: "inactive", predicate });
  client.invalidateQueries({ predicate });
}
