// The reads of a session's artifacts: the list, newest first, and one of them.
import { queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";

const base = "/api/projects/{projectId}/chat-sessions/{sessionId}/artifacts";

/** Whose artifacts are read. */
interface SessionOf {
  projectId: string;
  id: string;
}

export const artifactsQuery = ({ projectId, id }: SessionOf) =>
  queryOptions({
    queryKey: ["artifacts", id],
    queryFn: async ({ signal }) =>
      (await service.request(`GET ${base}`, { path: { projectId, sessionId: id }, signal })).artifacts,
    staleTime: 0,
  });

export const artifactQuery = ({ projectId, id }: SessionOf, artifactId: string) =>
  queryOptions({
    // The list's key is its beginning: a turn's end makes both be read again.
    queryKey: ["artifacts", id, artifactId],
    queryFn: ({ signal }) =>
      service.request(`GET ${base}/{artifactId}`, { path: { projectId, sessionId: id, artifactId }, signal }),
  });
