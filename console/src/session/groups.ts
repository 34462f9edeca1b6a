// The groups of a person's sessions: what waits for them comes first.
import type { Session } from "./queries.ts";

/** The sessions of the rail, each in the first group that it belongs to. */
export function groupSessions(sessions: readonly Session[]): [title: string, sessions: Session[]][] {
  const groups: [string, (session: Session) => boolean][] = [
    ["Needs you", ({ needsYouReason }) => needsYouReason !== null],
    ["Running", ({ latestChatJob }) => latestChatJob?.status === "pending" || latestChatJob?.status === "running"],
    ["Under review", ({ status }) => status === "under-review"],
    ["Recent", ({ status }) => status === "active"],
  ];
  const grouped = Map.groupBy(sessions, (session) => groups.find(([, holds]) => holds(session))?.[0]);
  return groups.flatMap(([title]) => {
    const found = grouped.get(title);
    return found ? [[title, found] as [string, Session[]]] : [];
  });
}
