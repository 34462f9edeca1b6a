// The reads of a workspace's settings, and what is read again after a change.
import type { Schemas } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { workspacesQuery } from "../shell/profile.ts";

export type Workspace = Schemas["WorkspaceRecord"];

export const workspaceQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["workspace", workspaceId],
    queryFn: ({ signal }) => service.request("GET /api/organizations/{workspaceId}", { path: { workspaceId }, signal }),
  });

export const membersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["members", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/members", { path: { workspaceId }, signal }),
  });

export const invitationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["invitations", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/invitations", { path: { workspaceId }, signal }),
  });

export const credentialsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["credentials", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/credentials", { path: { workspaceId }, signal }),
  });

/** Which providers the person can run in a workspace. */
export const accessQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["access", "workspace", workspaceId],
    queryFn: async ({ signal }) => {
      const path = { workspaceId };
      return (await service.request("GET /api/organizations/{workspaceId}/access-status", { path, signal })).providers;
    },
  });

export const relayKeysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["relay-keys", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/relay-keys", { path: { workspaceId }, signal }),
  });

export const webhooksQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["webhooks", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/webhooks", { path: { workspaceId }, signal }),
  });

/** The key of what is read about a webhook's deliveries. */
export const deliveryKey = (webhookId: string, ...more: (string | number)[]) => ["deliveries", webhookId, ...more];

export const skillsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["workspace-skills", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/skills", { path: { workspaceId }, signal }),
  });

export const skillQuery = (workspaceId: string, skillId: string) =>
  queryOptions({
    queryKey: ["workspace-skill", workspaceId, skillId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/skills/{skillId}", {
        path: { workspaceId, skillId },
        signal,
      }),
    // What is edited does not change below the cursor.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** Sandboxes start and pause by themselves, so they are read again and again. */
export const sandboxesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ["sandboxes", workspaceId],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/sandbox-limit", { path: { workspaceId }, signal }),
    refetchInterval: 10_000,
  });

/** Shows a workspace as a change left it, here and in the lists of workspaces. */
export function takeWorkspace(workspace: Workspace): void {
  queryClient.setQueryData(workspaceQuery(workspace.id).queryKey, workspace);
  queryClient.setQueryData(workspacesQuery.queryKey, (all) =>
    all?.map((one) => (one.id === workspace.id ? { ...one, name: workspace.name, logo: workspace.logo } : one)),
  );
}

/** Reads the workspace and its members again after one of them has another role. */
export async function refreshMembers(workspaceId: string): Promise<void> {
  queryClient.invalidateQueries({ queryKey: workspaceQuery(workspaceId).queryKey });
  await queryClient.invalidateQueries({ queryKey: ["members"] });
}
