// The reads and writes of a project's network and its secrets.
import type { Input, Schemas } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { isSameNetwork, type Network } from "./network-form.ts";
import type { Written } from "./use-section.ts";

/** How often what was seen is read again. */
const lookEveryMs = 15_000;

export const networkQuery = (projectId: string) =>
  queryOptions({
    queryKey: ["network", projectId],
    queryFn: ({ signal }) => service.request("GET /api/projects/{projectId}/network", { path: { projectId }, signal }),
    refetchInterval: lookEveryMs,
    refetchOnWindowFocus: "always",
  });

export const workspaceNetworkQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["workspace-network", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/network", { path: { workspaceId }, signal }),
  });

async function putNetwork(projectId: string, body: Schemas["Network"]): Promise<Schemas["ProjectNetwork"]> {
  const network = await service.request("PUT /api/projects/{projectId}/network", { path: { projectId }, body });
  queryClient.setQueryData(networkQuery(projectId).queryKey, network);
  return network;
}

/** Saves a network. The service has no version of networks, so it is read again just before. */
export async function saveNetwork(
  projectId: string,
  { mine, known }: { mine: Network; known: Network },
): Promise<Written<Network>> {
  const newest = (await queryClient.fetchQuery({ ...networkQuery(projectId), staleTime: 0 })).network;
  if (!isSameNetwork(newest, known) && !isSameNetwork(newest, mine)) return { theirs: newest };
  return { saved: (await putNetwork(projectId, mine)).network };
}

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
