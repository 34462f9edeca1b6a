// The reads and writes of a project's Prototypes.
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";

const path = "/api/projects/{projectId}/prototypes";

export const prototypesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["prototypes", projectId],
    queryFn: ({ signal }) => service.request(`GET ${path}`, { path: { projectId }, signal }),
  });

export const prototypeQuery = (projectId: string, prototypeId: string) =>
  queryOptions({
    // The list's key is its beginning: a deletion makes both be read again.
    queryKey: ["prototypes", projectId, prototypeId],
    queryFn: ({ signal }) => service.request(`GET ${path}/{prototypeId}`, { path: { projectId, prototypeId }, signal }),
  });

export async function deletePrototype(projectId: string, prototypeId: string): Promise<void> {
  await service.request(`DELETE ${path}/{prototypeId}`, { path: { projectId, prototypeId } });
  queryClient.setQueryData(prototypesQuery(projectId).queryKey, (all) => all?.filter(({ id }) => id !== prototypeId));
}

interface PrototypeCopy {
  projectId: string;
  sessionId: string;
  prototypeId: string;
  /** Null for all variants. */
  variant: string | null;
}

/** Copies variants onto a session of the Backlog, as its own artifacts. */
export async function copyPrototype({ projectId, sessionId, prototypeId, variant }: PrototypeCopy): Promise<void> {
  await service.request("POST /api/projects/{projectId}/chat-sessions/{sessionId}/artifacts", {
    path: { projectId, sessionId },
    body: { prototypeId, ...(variant !== null && { variant }) },
  });
  queryClient.invalidateQueries({ queryKey: ["artifacts", sessionId] });
}
