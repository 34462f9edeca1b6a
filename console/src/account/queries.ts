// The reads of the account page.
import { queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";

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
