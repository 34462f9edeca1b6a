// The reads of the account page.
import { queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";

export const apiKeysQuery = queryOptions({
  queryKey: ["api-keys"],
  queryFn: ({ signal }) => service.request("GET /api/user/api-keys", { signal }),
});

export const connectedAgentsQuery = queryOptions({
  queryKey: ["connected-agents"],
  queryFn: ({ signal }) => service.request("GET /api/user/connected-agents", { signal }),
});

export const codeHostQuery = queryOptions({
  queryKey: ["code-host"],
  queryFn: ({ signal }) => service.request("GET /api/user/code-host", { signal }),
});

export const subscriptionsQuery = queryOptions({
  queryKey: ["subscriptions"],
  queryFn: ({ signal }) => service.request("GET /api/user/subscriptions", { signal }),
});

/** After a change of a login, which also changes the models that the person can choose. */
export function refreshSubscriptions(): Promise<void> {
  queryClient.invalidateQueries({ queryKey: ["access"] });
  return queryClient.invalidateQueries({ queryKey: subscriptionsQuery.queryKey });
}

/** The service asks a provider at most once in this time. */
const usageAgeMs = 30_000;

export const loginUsageQuery = (provider: string, loginId: string) =>
  queryOptions({
    queryKey: ["login-usage", provider, loginId],
    queryFn: ({ signal }) =>
      service.request("GET /api/user/subscriptions/usage", { query: { provider, loginId }, signal }),
    staleTime: usageAgeMs,
  });

export const skillsQuery = queryOptions({
  queryKey: ["personal-skills"],
  queryFn: ({ signal }) => service.request("GET /api/user/skills", { signal }),
});

export const refreshSkills = () => queryClient.invalidateQueries({ queryKey: skillsQuery.queryKey });

export const skillQuery = (skillId: string) =>
  queryOptions({
    queryKey: ["personal-skill", skillId],
    queryFn: ({ signal }) => service.request("GET /api/user/skills/{skillId}", { path: { skillId }, signal }),
    // What is edited is what the service has now.
    staleTime: 0,
    gcTime: 0,
  });

export const pluginsQuery = queryOptions({
  queryKey: ["personal-plugins"],
  queryFn: ({ signal }) => service.request("GET /api/user/plugins", { signal }),
});

export const metaQuery = queryOptions({
  queryKey: ["meta"],
  queryFn: ({ signal }) => service.request("GET /api/meta", { signal }),
});

export const devicesQuery = queryOptions({
  queryKey: ["push-devices"],
  queryFn: ({ signal }) => service.request("GET /api/push/devices", { signal }),
});

export const refreshDevices = () => queryClient.invalidateQueries({ queryKey: devicesQuery.queryKey });

export const notificationsQuery = queryOptions({
  queryKey: ["notification-settings"],
  queryFn: ({ signal }) => service.request("GET /api/user/notifications", { signal }),
});
