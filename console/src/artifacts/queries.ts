// The reads of the artifacts of a session.
import type { Session } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";

export const artifactsPath = "/api/projects/{projectId}/chat-sessions/{sessionId}/artifacts";

export const artifactsQuery = ({ projectId, id }: Pick<Session, "projectId" | "id">) =>
  queryOptions({
    queryKey: ["artifacts", id],
    queryFn: async ({ signal }) =>
      (await service.request(`GET ${artifactsPath}`, { path: { projectId, sessionId: id }, signal })).artifacts,
    staleTime: 0,
  });
