// The reads and writes of a project's triggers.
import { refused, type Schemas } from "@switchyard/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import type { toTriggers } from "./trigger-form.ts";

const path = "/api/projects/{projectId}/triggers";

export const triggersQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["triggers", projectId],
    queryFn: ({ signal }) => service.request(`GET ${path}`, { path: { projectId }, signal }),
  });

export const triggerRunsQuery = (projectId: string, pageSize: number, triggerId: string | null) =>
  queryOptions({
    queryKey: ["trigger-runs", projectId, pageSize, triggerId],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/trigger-runs", {
        path: { projectId },
        query: { pageSize, ...(triggerId === null ? {} : { triggerId }) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

interface WantedTriggers {
  version: number;
  triggers: ReturnType<typeof toTriggers>;
}

export async function putTriggers(projectId: string, body: WantedTriggers): Promise<Schemas["Triggers"]> {
  const saved = await service.request(`PUT ${path}`, { path: { projectId }, body });
  queryClient.setQueryData(triggersQuery(projectId).queryKey, saved);
  return saved;
}

/** The triggers as the service has them now. */
export const readTriggers = (projectId: string): Promise<Schemas["Triggers"]> =>
  queryClient.fetchQuery({ ...triggersQuery(projectId), staleTime: 0 });

/** True if somebody else has changed the triggers since they were read. */
export const isOutdated = (error: unknown): boolean =>
  refused(error, `PUT ${path}`) && error.failure.code === "CONFLICT";
