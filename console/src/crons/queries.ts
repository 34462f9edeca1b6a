// The reads of crons and their runs.
import type { Schemas } from "@switchyard/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { workspacesQuery } from "../shell/profile.ts";
import { isClosed } from "../ui/refusal.tsx";

export type Cron = Schemas["Cron"];

export interface CronPath {
  workspaceId: string;
  cronId: string;
}

export interface RunPath extends CronPath {
  runId: string;
}

/** As many as the service sends in one page. */
const listPage = 100;
export const runsPage = 25;

/** All crons of a workspace, the newest first. */
export const cronsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["crons", workspaceId],
    queryFn: async ({ signal }) => {
      const crons: Cron[] = [];
      for (let page = 1; ; page += 1) {
        const query = { page, pageSize: listPage };
        const path = { workspaceId };
        const read = await service.request("GET /api/organizations/{workspaceId}/crons", { path, query, signal });
        crons.push(...read.crons);
        if (read.crons.length < listPage) return crons;
      }
    },
  });

/** A cron as a list has it, which is shown until it is read. */
function findListed(cronId: string): PlacedCron | undefined {
  for (const [queryKey, crons] of queryClient.getQueriesData<Cron[]>({ queryKey: ["crons"] })) {
    const cron = crons?.find(({ id }) => id === cronId);
    if (cron) return { workspaceId: String(queryKey[1]), cron };
  }
}

/** A cron, and the workspace that it belongs to. */
export interface PlacedCron {
  workspaceId: string;
  cron: Cron;
}

async function readCron(workspaceId: string, cronId: string, signal: AbortSignal): Promise<PlacedCron> {
  const path = { workspaceId, cronId };
  const cron = await service.request("GET /api/organizations/{workspaceId}/crons/{cronId}", { path, signal });
  return { workspaceId, cron };
}

/** Looks for a cron in all workspaces of the person. */
async function searchCron(cronId: string, signal: AbortSignal): Promise<PlacedCron> {
  const workspaces = await queryClient.ensureQueryData(workspacesQuery);
  const results = await Promise.allSettled(workspaces.map(({ id }) => readCron(id, cronId, signal)));
  for (const result of results) if (result.status === "fulfilled") return result.value;
  const failed = results.find((result) => result.status === "rejected" && !isClosed(result.reason));
  if (failed?.status === "rejected") throw failed.reason;
  throw new NoSuchCron("None of your workspaces has such a cron.");
}

class NoSuchCron extends Error {}

/** True for an error that a person gets again: the cron is in no workspace that is open to them. */
export const isOutOfReach = (error: unknown): boolean => error instanceof NoSuchCron || isClosed(error);

/** A cron with its workspace, also where its address does not say which that is. */
export const cronQuery = (cronId: string, workspaceId: string | undefined) =>
  queryOptions({
    queryKey: ["cron", cronId],
    queryFn: ({ signal }) => {
      const before = queryClient.getQueryData<PlacedCron>(["cron", cronId]) ?? findListed(cronId);
      const known = workspaceId ?? before?.workspaceId;
      return known === undefined ? searchCron(cronId, signal) : readCron(known, cronId, signal);
    },
    placeholderData: () => findListed(cronId),
  });

/** All projects of a workspace, for the choice of a cron's. */
export const workspaceProjectsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["projects", workspaceId],
    queryFn: async () => {
      const query = { workspace: [workspaceId], pageSize: listPage };
      const projects: Schemas["Project"][] = [];
      for await (const project of service.pages("GET /api/projects", { query })) projects.push(project);
      return projects;
    },
    enabled: workspaceId !== "",
    staleTime: 60_000,
  });

const runningMs = 4_000;

export const runsQuery = (path: CronPath, page: number) =>
  queryOptions({
    queryKey: ["cron-runs", path.cronId, page],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/crons/{cronId}/runs", {
        path: { ...path },
        query: { page, pageSize: runsPage },
        signal,
      }),
    placeholderData: keepPreviousData,
    // A run's end is an event, and its row may be written a moment later.
    refetchInterval: ({ state }) => (state.data?.runs.some(({ status }) => status === "running") ? runningMs : false),
  });

export const runQuery = (path: RunPath) =>
  queryOptions({
    queryKey: ["cron-run", path.runId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/crons/{cronId}/runs/{runId}", {
        path: { ...path },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? runningMs : false),
  });

/** A run that may not be open yet: it is read until it is over. */
export const openingRunQuery = (path: RunPath) =>
  queryOptions({
    ...runQuery(path),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.status === "running" ? runningMs : false),
  });

export const diagnosticsQuery = (path: RunPath) =>
  queryOptions({
    queryKey: ["cron-run", path.runId, "diagnostics"],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/crons/{cronId}/runs/{runId}/diagnostics", {
        path: { ...path },
        signal,
      }),
  });

/** The newest artifacts of all runs of a cron. */
export const cronArtifactsQuery = (path: CronPath) =>
  queryOptions({
    queryKey: ["cron-artifacts", path.cronId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/crons/{cronId}/artifacts", {
        path: { ...path },
        query: { pageSize: listPage },
        signal,
      }),
  });

export const runArtifactsQuery = (path: RunPath) =>
  queryOptions({
    queryKey: ["cron-artifacts", path.cronId, path.runId],
    queryFn: async ({ signal }) =>
      (
        await service.request("GET /api/organizations/{workspaceId}/crons/{cronId}/runs/{runId}/artifacts", {
          path: { ...path },
          signal,
        })
      ).artifacts,
  });

export const runArtifactQuery = (path: RunPath, artifactId: string) =>
  queryOptions({
    queryKey: ["cron-artifacts", path.cronId, path.runId, artifactId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/crons/{cronId}/runs/{runId}/artifacts/{artifactId}", {
        path: { ...path, artifactId },
        signal,
      }),
  });
