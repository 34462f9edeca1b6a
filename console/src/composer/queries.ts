// The reads of the composer: skills, models and what the person can run.
import { queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";
import type { SessionPath } from "./deliver.ts";
import { readFirstMessage } from "./first-message.ts";

const longMs = 300_000;

/** The skills that a session can run, which depend on its model's provider. */
export const skillsQuery = ({ projectId, sessionId }: SessionPath, isOpenai: boolean) =>
  queryOptions({
    queryKey: ["skills", projectId, sessionId, isOpenai],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/skills", {
        path: { projectId },
        query: { sessionId, provider: isOpenai ? "openai" : "anthropic" },
        signal,
      }),
    staleTime: 60_000,
  });

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: ({ signal }) => service.request("GET /api/models", { signal }),
  staleTime: longMs,
});

/** Which providers the person can run in the workspace of a project. */
export const accessQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["access", projectId],
    queryFn: async ({ signal }) => {
      const { orgId } = await service.request("GET /api/projects/{projectId}", { path: { projectId }, signal });
      const path = { workspaceId: orgId };
      return (await service.request("GET /api/organizations/{workspaceId}/access-status", { path, signal })).providers;
    },
    staleTime: 60_000,
  });

/** The message that a turn was started with. */
export const firstMessageQuery = ({ projectId, sessionId }: SessionPath, jobId: string) =>
  queryOptions({
    queryKey: ["first-message", sessionId, jobId],
    queryFn: ({ signal }) =>
      readFirstMessage(jobId, (before) =>
        service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/messages", {
          path: { projectId, sessionId },
          query: { job: jobId, outputs: 0, ...(before !== null && { before }) },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The key of a message that another part of the page sends, such as the pull request. */
export const messageKey = (sessionId: string) => ["message", sessionId];
