// The lists of the inbox and the rail: what needs the person, runs, is under review, or is recent.
import { useQueries } from "@tanstack/react-query";
import { groupSessions, joinSessions } from "../session/groups.ts";
import { type SessionFilter, sessionsQuery } from "../session/queries.ts";

/** Whose sessions the inbox shows. */
export type Who = "me" | "all";

const lists: SessionFilter[] = [
  { needsYou: true, pageSize: 100 },
  { job: ["pending", "running"], pageSize: 100 },
  { status: ["under-review"], pageSize: 50 },
  { status: ["active"], pageSize: 30 },
];

/** The filters of the inbox. */
export const listInboxFilters = (who: Who): SessionFilter[] =>
  lists.map((filter) => ({ ...filter, sort: "updated", ...(who === "me" ? { assignee: "me" } : {}) }));

/** The sessions of the inbox by group, as they are now. */
export function useInbox(who: Who) {
  return useQueries({
    queries: listInboxFilters(who).map(sessionsQuery),
    combine: (results) => ({
      groups: groupSessions(joinSessions(results.map(({ data }) => data ?? []))),
      needsYou: results[0]?.data?.length ?? 0,
      isRead: results.every(({ data }) => data !== undefined),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  });
}
