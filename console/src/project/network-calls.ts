// The reads and writes of a project's network and its secrets.
import type { Input, Schemas } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";

/** How often what was seen is read again. */
const lookEveryMs = 15_000;

export const networkQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["network", projectId],
    queryFn: ({ signal }) => service.request("GET /api/projects/{projectId}/network", { path: { projectId }, signal }),
    refetchInterval: lookEveryMs,
  });

export const workspaceNetworkQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["workspace-network", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/network", { path: { workspaceId }, signal }),
  });

export async function putNetwork(projectId: string, body: Schemas["Network"]): Promise<Schemas["ProjectNetwork"]> {
  const network = await service.request("PUT /api/projects/{projectId}/network", { path: { projectId }, body });
  queryClient.setQueryData(networkQuery(projectId).queryKey, network);
  return network;
}

/** The network as the service has it now. */
export const readNetwork = (projectId: string): Promise<Schemas["ProjectNetwork"]> =>
  queryClient.fetchQuery({ ...networkQuery(projectId), staleTime: 0 });

const secretsPath = "/api/projects/{projectId}/network/secrets";

export const secretsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["network-secrets", projectId],
    queryFn: ({ signal }) => service.request(`GET ${secretsPath}`, { path: { projectId }, signal }),
  });

type Secret = Input<`PUT ${typeof secretsPath}/{secretName}`>["body"];

export async function putSecret(projectId: string, secretName: string, body: Secret): Promise<void> {
  await service.request(`PUT ${secretsPath}/{secretName}`, { path: { projectId, secretName }, body });
  queryClient.invalidateQueries({ queryKey: secretsQuery(projectId).queryKey });
}

export async function deleteSecret(projectId: string, secretName: string): Promise<void> {
  await service.request(`DELETE ${secretsPath}/{secretName}`, { path: { projectId, secretName } });
  queryClient.invalidateQueries({ queryKey: secretsQuery(projectId).queryKey });
}
