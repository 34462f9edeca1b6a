// The people to whom sessions can be assigned.
import type { Schemas } from "@switchyard/client";
import { queryOptions } from "@tanstack/react-query";
import { service } from "../api.ts";

type Member = Pick<Schemas["Member"], "userId" | "name">;

/** The members of these workspaces, each once, by name. */
export const membersQuery = (workspaceIds: string[]) =>
  queryOptions({
    queryKey: ["members", workspaceIds],
    queryFn: async ({ signal }): Promise<Member[]> => {
      const lists = await Promise.all(
        workspaceIds.map((workspaceId) =>
          service.request("GET /api/organizations/{workspaceId}/members", { path: { workspaceId }, signal }),
        ),
      );
      const members = new Map(lists.flat().map((member) => [member.userId, member]));
      return [...members.values()].sort((one, other) => one.name.localeCompare(other.name));
    },
    enabled: workspaceIds.length > 0,
    staleTime: 300_000,
  });
