// The lists of the inbox and the rail: what needs the person, runs, is under review, or is recent.
import { useQueries } from "@tanstack/react-query";
import { groupSessions, joinSessions } from "../session/groups.ts";
import { type SessionFilter, sessionsQuery } from "../session/queries.ts";

/** Whose sessions the inbox shows. */
export type Who = "me" | "all";

// Two lists, for each of them is read again when the line begins. What waits is there however many
// others were changed since.
const lists: SessionFilter[] = [
  { needsYou: true, pageSize: 100 },
  { status: ["active", "under-review"], pageSize: 100 },
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
