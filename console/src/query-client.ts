// What the console has read. What a person may no longer read leaves it, so that every page shows
// the refusal and no data.
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryCache,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { isClosed } from "./ui/refusal.tsx";

/** The key of the workspaces of the person. */
export const workspacesKey = ["workspaces"] as const;

/**
 * After a change, the library ends a read that is on its way and begins it again, unless it is the
 * first one. The answer to that one may be from before the change, too.
 */
class RepeatingClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    this.repeatFirstReads(filters);
    await super.invalidateQueries(filters, options);
  }

  /** Begins first reads again, for example where a change finds no data to change. */
  repeatFirstReads<Key extends QueryKey>(filters?: InvalidateQueryFilters<Key>): void {
    for (const query of this.getQueryCache().findAll(filters)) {
      if (query.state.data !== undefined || query.state.fetchStatus !== "fetching") continue;
      // Who waits for the ended read gets the answer to the new one.
      query.cancel({ silent: true });
      query.fetch().catch(() => {});
    }
  }
}

/**
 * A cache of reads. Data goes when its next read is refused with 403 or 404; then the workspaces
 * are read again, because the person may have left one.
 */
export function createQueryClient(): RepeatingClient {
  const client: RepeatingClient = new RepeatingClient({
    queryCache: new QueryCache({
      onError(error, query) {
        if (!isClosed(error) || query.state.data === undefined) return;
        // The time of the last read stays: a page may say that what was there is gone.
        query.setState({ data: undefined });
        client.invalidateQueries({ queryKey: workspacesKey });
      },
    }),
    defaultOptions: {
      // The library repeats what is harmless to repeat, so a query does not.
      queries: { retry: false, staleTime: 15_000 },
      // Without a connection, a change is refused. It would wait unseen, and come minutes later.
      mutations: { networkMode: "always" },
    },
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
