// The reads of the account page.
import { queryOptions } from "@tanstack/react-query";
import { service } from "../service.ts";

export const apiKeysQuery = queryOptions({
  queryKey: ["api-keys"],
  queryFn: ({ signal }) => service.request("GET /api/user/api-keys", { signal }),
});
