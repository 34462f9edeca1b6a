// What Info reads beside the session: members, and what the session has cost.
import type { Input, Schemas, Session } from "@switchyard/client";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";
import { projectsQuery, refreshSessionLists } from "../session/queries.ts";
import { useRested } from "../ui/use-rested.ts";
import { membersQuery, workspaceQuery } from "../workspace/queries.ts";
import { isAtLeast } from "../workspace/roles.ts";

type Update = Input<"PUT /api/projects/{projectId}/chat-sessions/{sessionId}">["body"];

/** The workspace of a project; null until it is known. */
function useWorkspaceId(projectId: string): string | null {
  return useQuery(projectsQuery).data?.find(({ id }) => id === projectId)?.orgId ?? null;
}

/** The members to whom a session can be assigned. */
export function useMembers(projectId: string): Schemas["Member"][] {
  const workspaceId = useWorkspaceId(projectId);
  const { data } = useQuery({
    ...membersQuery(workspaceId ?? ""),
    enabled: workspaceId !== null,
    staleTime: 60_000,
  });
  return data ?? [];
}

/** The branches of a project's repository with a text in their names. */
export function useBranches(projectId: string, typed: string, isWanted: boolean): Schemas["Branch"][] {
  const search = useRested(typed);
  const { data } = useQuery({
    queryKey: ["branches", projectId, search],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/branches", { path: { projectId }, query: { search }, signal }),
    enabled: isWanted,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return data ?? [];
}

/** Who can review in a project, with a text in their login or name. */
export function useReviewers(projectId: string, typed: string): Schemas["ReviewerCandidate"][] {
  const search = useRested(typed);
  const { data } = useQuery({
    queryKey: ["reviewers", projectId, search],
    queryFn: ({ signal }) =>
      service.request("GET /api/projects/{projectId}/reviewers", { path: { projectId }, query: { search }, signal }),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return data ?? [];
}

type SessionUsage = Schemas["UsageGroup"] & {
  /**
   * True for everybody's turns, which only the owner and admins read; false for the person's own.
   */
  isOfAll: boolean;
};

/** What a session's turns have used; null while it is not known. */
export function useSessionUsage({ projectId, id, createdAt }: Schemas["Session"]): SessionUsage | null {
  const workspaceId = useWorkspaceId(projectId);
  const { data: workspace } = useQuery({ ...workspaceQuery(workspaceId ?? ""), enabled: workspaceId !== null });
  const { data } = useQuery({
    queryKey: ["usage", workspaceId, "session", id],
    queryFn: ({ signal }) =>
      service.request("GET /api/organizations/{workspaceId}/usage", {
        path: { workspaceId: workspaceId ?? "" },
        query: { by: "session", from: createdAt },
        signal,
      }),
    enabled: workspaceId !== null,
  });
  const group = data?.groups.find((one) => one.id === id);
  return group && workspace ? { ...group, isOfAll: isAtLeast(workspace.role, "admin") } : null;
}

/** Changes a session; the page shows what the service has made of it. */
export const useUpdateSession = (session: Session) =>
  useMutation({
    mutationFn: (fields: Update) => session.update(fields),
    onSuccess: ({ data }) => {
      queryClient.setQueryData(["session", data.id], data);
      refreshSessionLists();
    },
  });
