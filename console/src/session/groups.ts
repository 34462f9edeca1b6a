// The groups of a person's sessions: what waits for them comes first.
import type { Session } from "./queries.ts";

const groups: [title: string, holds: (session: Session) => boolean][] = [
  ["Needs you", ({ needsYouReason }) => needsYouReason !== null],
  ["Running", ({ latestChatJob }) => latestChatJob?.status === "pending" || latestChatJob?.status === "running"],
  ["Under review", ({ status }) => status === "under-review"],
  ["Recent", ({ status }) => status === "active"],
];

/** The sessions of the rail, each in the first group that it belongs to. */
export function groupSessions(sessions: readonly Session[]): [title: string, sessions: Session[]][] {
  const grouped = Map.groupBy(sessions, (session) => groups.find(([, holds]) => holds(session))?.[0]);
  return groups.flatMap(([title]) => {
    const found = grouped.get(title);
    return found ? [[title, found] as [string, Session[]]] : [];
  });
}

/** All sessions of several lists, each once as it was read last, the newest change first. */
export function joinSessions(lists: readonly (readonly Session[])[]): Session[] {
  const newest = new Map<string, Session>();
  for (const session of lists.flat()) {
    const before = newest.get(session.id);
    if (!before || before.updatedAt < session.updatedAt) newest.set(session.id, session);
  }
  return [...newest.values()].sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
}
