// The reads and writes of a project's triggers.
import { refused, type Schemas } from "@switchyard/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import type { toTriggers } from "./trigger-form.ts";
import type { Written } from "./use-section.ts";

const path = "/api/projects/{projectId}/triggers";

export const triggersQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["triggers", projectId],
    queryFn: ({ signal }) => service.request(`GET ${path}`, { path: { projectId }, signal }),
    refetchOnWindowFocus: "always",
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

/** What each trigger would do with an event. */
export async function tryTriggers(projectId: string, event: string, payload: unknown) {
  const body = { event, payload };
  return (await service.request(`POST ${path}/try`, { path: { projectId }, body })).triggers;
}

type Triggers = Schemas["Triggers"];
type Wanted = ReturnType<typeof toTriggers>;

/** Saves triggers, unless somebody else has changed them since they were read. */
export async function saveTriggers(
  projectId: string,
  { mine, known }: { mine: Wanted; known: Triggers },
): Promise<Written<Triggers>> {
  // A trigger that somebody else deleted is made again.
  const ids = new Set(known.triggers.map(({ id }) => id));
  const triggers = mine.map(({ id, ...rest }) => (id !== undefined && ids.has(id) ? { id, ...rest } : rest));
  const body = { version: known.version, triggers };
  try {
    const saved = await service.request(`PUT ${path}`, { path: { projectId }, body });
    queryClient.setQueryData(triggersQuery(projectId).queryKey, saved);
    return { saved };
  } catch (error) {
    if (!refused(error, `PUT ${path}`) || error.failure.code !== "CONFLICT") throw error;
    return { theirs: await queryClient.fetchQuery({ ...triggersQuery(projectId), staleTime: 0 }) };
  }
}
