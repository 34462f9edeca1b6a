// The reports of usage, and the limit of what a month may cost.
import type { Input } from "@switchyard/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";
import { takeWorkspace } from "../workspace/queries.ts";

type UsageFilter = NonNullable<Input<"GET /api/organizations/{workspaceId}/usage">["query"]>;

export const usageQuery = (workspaceId: string, query: UsageFilter) =>
  queryOptions({
    queryKey: ["usage", workspaceId, query],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/usage", { path: { workspaceId }, query, signal }),
    placeholderData: keepPreviousData,
  });

/** What the workspace has spent of its limit: the service counts the limit's months in UTC. */
export const monthQuery = (workspaceId: string) => usageQuery(workspaceId, { by: "model" });

/** Sets what a month may cost; null for no limit. */
export async function setSpendLimit(workspaceId: string, spendLimitUsd: number | null): Promise<void> {
  const workspace = await service.request("PATCH /api/organizations/{workspaceId}", {
    path: { workspaceId },
    body: { spendLimitUsd },
  });
  takeWorkspace(workspace);
}
