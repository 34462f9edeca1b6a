// The reads and writes of a preview. Only the first one wakes a sandbox.
import type { Schemas } from "@switchyard/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { projectsQuery } from "../session/queries.ts";
import {
  findPreviewError,
  healthyWaitMs,
  joinLog,
  judgePreview,
  keepHealth,
  nextHealthWaitMs,
  type ShownLog,
} from "./health.ts";

const base = "/api/projects/{projectId}/preview";

/** Whose preview it is: of a session, or the main preview of a project. */
export interface PreviewPath {
  projectId: string;
  sessionId?: string;
}

const inputOf = ({ projectId, sessionId }: PreviewPath) => ({
  path: { projectId },
  query: sessionId === undefined ? {} : { sessionId },
});
const bodyOf = ({ sessionId }: PreviewPath) => (sessionId === undefined ? {} : { sessionId });
/** The part of a query key that names a preview. */
const keyOf = ({ projectId, sessionId }: PreviewPath) => sessionId ?? projectId;
const healthKeyOf = (of: PreviewPath) => ["preview-health", keyOf(of)];

/**
 * A preview and how it is, asked for as often as its state needs. With `isWoken` false, nothing
 * wakes its sandbox until `wake` is called.
 */
export function usePreview(of: PreviewPath, isWoken = true) {
  const input = inputOf(of);
  const healthKey = healthKeyOf(of);
  // Counts the answers since the sandbox was woken.
  const [askedBefore, setAskedBefore] = useState(0);
  const preview = useQuery({
    queryKey: ["preview", keyOf(of)],
    queryFn: ({ signal }) => service.request(`GET ${base}`, { ...input, signal }),
    enabled: isWoken,
    // It wakes the sandbox, so it is read only when somebody asks for it.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const health = useQuery({
    queryKey: healthKey,
    queryFn: async ({ signal }) =>
      keepHealth(
        queryClient.getQueryData<Schemas["Health"]>(healthKey),
        await service.request(`GET ${base}/health`, { ...input, signal }),
      ),
    // A wake that failed ends no reads: others may wake the sandbox.
    enabled: preview.isFetched || !isWoken,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, dataUpdateCount, status } }) => {
      // One poll that fails says nothing about the app that is shown.
      if (status === "error") return data ? healthyWaitMs : false;
      const asked = dataUpdateCount - askedBefore;
      return nextHealthWaitMs(judgePreview(preview.data ?? null, data ?? null, asked), asked) ?? false;
    },
  });
  const wake = async () => {
    const known = queryClient.getQueryState(healthKey)?.dataUpdateCount ?? 0;
    setAskedBefore(known);
    await preview.refetch();
    await health.refetch();
  };
  const answers = queryClient.getQueryState(healthKey)?.dataUpdateCount ?? 0;
  const state = judgePreview(preview.data ?? null, health.data ?? null, answers - askedBefore);
  const error = findPreviewError(state, preview.error ?? (health.data ? null : health.error));
  return { state, preview, health, wake, error };
}

export const useReset = (of: PreviewPath) =>
  useMutation({
    mutationFn: () => service.request(`POST ${base}/reset`, { ...inputOf(of), body: bodyOf(of) }),
    // Health says until when they start, and a healthy app's is read seldom.
    onSuccess: () => queryClient.refetchQueries({ queryKey: healthKeyOf(of) }),
  });

export const useShareLink = (of: PreviewPath) =>
  useQuery({
    queryKey: ["share", keyOf(of)],
    queryFn: async ({ signal }) => (await service.request(`GET ${base}/share`, { ...inputOf(of), signal })).share,
  });

async function keepShare(of: PreviewPath, share: Schemas["ShareLink"] | null): Promise<void> {
  const queryKey = ["share", keyOf(of)];
  // A read in progress may have the link from before.
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, share);
}

export const useCreateShare = (of: PreviewPath) =>
  useMutation({
    mutationFn: () => service.request(`POST ${base}/share`, { ...inputOf(of), body: bodyOf(of) }),
    onSuccess: ({ share }) => keepShare(of, share),
  });

export const useRevokeShare = (of: PreviewPath) =>
  useMutation({
    mutationFn: () => service.request(`DELETE ${base}/share`, inputOf(of)),
    onSuccess: () => keepShare(of, null),
  });

export const useServices = (of: PreviewPath) =>
  useQuery({
    queryKey: ["services", keyOf(of)],
    queryFn: async ({ signal }) => (await service.request(`GET ${base}/services`, { ...inputOf(of), signal })).services,
    refetchInterval: 10_000,
    staleTime: 0,
  });

export const useServiceLog = (of: PreviewPath, name: string) =>
  useQuery({
    queryKey: ["service-log", keyOf(of), name],
    queryFn: async ({ signal, queryKey }) => {
      const before = queryClient.getQueryData<ShownLog>(queryKey) ?? null;
      const { path, query } = inputOf(of);
      const part = await service.request(`GET ${base}/services/{serviceName}/log`, {
        path: { ...path, serviceName: name },
        query: { ...query, after: before?.offset ?? undefined },
        signal,
      });
      return joinLog(before, part);
    },
    refetchInterval: 5_000,
    staleTime: 0,
    gcTime: 0,
  });

const limitPath = "/api/organizations/{workspaceId}/sandbox-limit";

/** The sandboxes that run in the workspace of a project. `onFree` is called once one has ended. */
export function useRunningSandboxes({ projectId }: PreviewPath, onFree: () => void) {
  const workspaceId = useQuery(projectsQuery).data?.find(({ id }) => id === projectId)?.orgId ?? "";
  const limit = useQuery({
    queryKey: ["sandbox-limit", workspaceId],
    queryFn: ({ signal }) => service.request(`GET ${limitPath}`, { path: { workspaceId }, signal }),
    enabled: workspaceId !== "",
    staleTime: 0,
  });
  const stop = useMutation({
    mutationFn: (sessionId: string) =>
      service.request("POST /api/organizations/{workspaceId}/stop-sandboxes", {
        path: { workspaceId },
        body: { sessionIds: [sessionId] },
      }),
    onSuccess: ({ sessions }) => (sessions.some(({ stopped }) => stopped) ? onFree() : limit.refetch()),
  });
  return { limit, stop };
}
