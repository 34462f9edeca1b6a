// The names under which the reads of a session's work are kept, and the read that its head shares.
import { queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";

export const changesKey = (sessionId: string) => ["changes", sessionId] as const;
export const diffKey = (sessionId: string) => ["diff", sessionId] as const;
export const gitKey = (sessionId: string) => ["git", sessionId] as const;
export const commentsKey = (sessionId: string) => ["comments", sessionId] as const;

/** The changed files of a session. Asleep, they are those of its saved work. */
export const changedFilesQuery = ({ projectId, id }: { projectId: string; id: string }) =>
  queryOptions({
    queryKey: changesKey(id),
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/chat-sessions/{sessionId}/preview/changed-files", {
        path: { projectId, sessionId: id },
        query: { kept: true },
        signal,
      }),
    staleTime: 0,
  });
