// Who uses the console, and in which workspaces.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { service } from "../api.ts";
import { workspacesKey } from "../query-client.ts";

export const profileQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => service.request("GET /api/user/profile", { signal }),
  staleTime: 300_000,
});

export const workspacesQuery = queryOptions({
  queryKey: workspacesKey,
  queryFn: ({ signal }) => service.request("GET /api/organizations", { signal }),
  staleTime: 300_000,
});

/** The person's user id; null until it is known. */
export const useUserId = (): string | null => useQuery(profileQuery).data?.id ?? null;
