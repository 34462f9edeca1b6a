// The reads of sessions: lists by filter, and one session by its id.
import type { Input, Schemas } from "@switchyard/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { queryClient, service } from "../api.ts";

export type Session = Schemas["Session"];
export type SessionFilter = NonNullable<Input<"GET /api/chat-sessions">["query"]>;

export const sessionsQuery = (filter: SessionFilter) =>
  queryOptions({
    queryKey: ["sessions", filter],
    queryFn: ({ signal }) => service.request("GET /api/chat-sessions", { query: filter, signal }),
    placeholderData: keepPreviousData,
  });

/** Fewer characters would find too much. */
const searchedCharactersMin = 3;

/** What people and agents said that has all these words; nothing for a few characters. */
export const messageSearchQuery = (q: string, pageSize = 20) =>
  queryOptions({
    queryKey: ["message-search", q, pageSize],
    queryFn: ({ signal }) =>
      q.length < searchedCharactersMin
        ? []
        : service.request("GET /api/message-search", { query: { q: q.slice(0, 200), pageSize }, signal }),
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ["session", sessionId],
    queryFn: async ({ signal }) =>
      (await service.request("GET /api/chat-sessions/{sessionId}", { path: { sessionId }, signal })).session,
  });

/** All projects of the person, by name. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: async ({ signal }) => {
    const projects: Schemas["Project"][] = [];
    for await (const project of service.pages("GET /api/projects", { query: { pageSize: 100 }, signal }))
      projects.push(project);
    return projects;
  },
  staleTime: 60_000,
});

/** Lists are read again: one of them may have gained or lost a session. */
export const refreshSessionLists = () => queryClient.invalidateQueries({ queryKey: ["sessions"] });

/** A session as a list had it, which is shown until it is read; null where no list has it. */
export function findListed(sessionId: string): Session | null {
  const lists = queryClient.getQueriesData<Session[]>({ queryKey: ["sessions"] });
  return lists.flatMap(([, list]) => list ?? []).find(({ id }) => id === sessionId) ?? null;
}
