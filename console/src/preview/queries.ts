// The reads and writes of a preview. Only the first one wakes a sandbox.
import type { Schemas, Session } from "@switchyard/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queryClient, service } from "../api.ts";
import { projectsQuery } from "../session/queries.ts";
import { healthyWaitMs, joinLog, judgePreview, nextHealthWaitMs, type ShownLog } from "./health.ts";

const base = "/api/projects/{projectId}/preview";
const inputOf = ({ projectId, id }: Session) => ({ path: { projectId }, query: { sessionId: id } });

/** The preview of a session and how it is, asked for as often as its state needs. */
export function usePreview(session: Session) {
  const input = inputOf(session);
  // Counts the answers since the sandbox was woken.
  const [askedBefore, setAskedBefore] = useState(0);
  const preview = useQuery({
    queryKey: ["preview", session.id],
    queryFn: ({ signal }) => service.request(`GET ${base}`, { ...input, signal }),
    // It wakes the sandbox, so it is read only when somebody asks for it.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const health = useQuery({
    queryKey: ["preview-health", session.id],
    queryFn: ({ signal }) => service.request(`GET ${base}/health`, { ...input, signal }),
    enabled: preview.isSuccess,
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
    const known = queryClient.getQueryState(["preview-health", session.id])?.dataUpdateCount ?? 0;
    setAskedBefore(known);
    await preview.refetch();
    await health.refetch();
  };
  const answers = queryClient.getQueryState(["preview-health", session.id])?.dataUpdateCount ?? 0;
  const state = judgePreview(preview.data ?? null, health.data ?? null, answers - askedBefore);
  return { state, preview, health, wake, error: preview.error ?? (health.data ? null : health.error) };
}

export const useReset = (session: Session) =>
  useMutation({
    mutationFn: () => service.request(`POST ${base}/reset`, { ...inputOf(session), body: { sessionId: session.id } }),
  });

export const useShareLink = (session: Session) =>
  useQuery({
    queryKey: ["share", session.id],
    queryFn: async ({ signal }) => (await service.request(`GET ${base}/share`, { ...inputOf(session), signal })).share,
  });

const keepShare = (session: Session, share: Schemas["ShareLink"] | null) =>
  queryClient.setQueryData(["share", session.id], share);

export const useCreateShare = (session: Session) =>
  useMutation({
    mutationFn: () => session.preview.share(),
    onSuccess: (share) => keepShare(session, share),
  });

export const useRevokeShare = (session: Session) =>
  useMutation({
    mutationFn: () => service.request(`DELETE ${base}/share`, inputOf(session)),
    onSuccess: () => keepShare(session, null),
  });

export const useServices = (session: Session) =>
  useQuery({
    queryKey: ["services", session.id],
    queryFn: async ({ signal }) =>
      (await service.request(`GET ${base}/services`, { ...inputOf(session), signal })).services,
    refetchInterval: 10_000,
    staleTime: 0,
  });

export const useServiceLog = (session: Session, name: string) =>
  useQuery({
    queryKey: ["service-log", session.id, name],
    queryFn: async ({ signal, queryKey }) => {
      const before = queryClient.getQueryData<ShownLog>(queryKey) ?? null;
      const part = await session.preview.readLog(name, { after: before?.offset ?? undefined, signal });
      return joinLog(before, part);
    },
    refetchInterval: 5_000,
    staleTime: 0,
    gcTime: 0,
  });

const limitPath = "/api/organizations/{workspaceId}/sandbox-limit";

/** The sandboxes that run in the workspace of a session. */
export function useRunningSandboxes(session: Session) {
  const workspaceId = useQuery(projectsQuery).data?.find(({ id }) => id === session.projectId)?.orgId ?? "";
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
    onSuccess: () => limit.refetch(),
  });
  return { limit, stop };
}
