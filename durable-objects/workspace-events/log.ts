// The log of a workspace's events, from which listeners resume. For each session, project and cron,
// and for the members, it holds only the newest row, because a listener who was away needs no
// earlier one.
import type { WorkspaceEvent } from "../../src/workspace/event-wire.ts";

export interface LoggedEvent {
  id: number;
  event: WorkspaceEvent;
}

export interface WorkspaceLog {
  /** Returns the event with its id; null for activity that is already in the log. */
  append(event: WorkspaceEvent): LoggedEvent | null;
  /**
   * The events after an id, oldest first, without those that only other people get. Each is read
   * only when it is requested.
   */
  after(id: number, personId: string | null, limit: number): Iterable<LoggedEvent>;
  newest(): number;
  /** True if no event after this id was dropped. */
  reaches(id: number): boolean;
}

const keptEvents = 2_000;
const pruneEvery = 100;

/** Creates the log of an object. */
export function createWorkspaceLog({ sql, kv }: DurableObjectStorage): WorkspaceLog {
  sql.exec(
    "CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, told TEXT NOT NULL)",
  );
  const droppedTo = () => kv.get<number>("droppedTo") ?? 0;
  const newest = () => sql.exec<{ id: number | null }>("SELECT max(id) AS id FROM events").one().id ?? droppedTo();

  function prune(): void {
    const [last] = sql.exec<{ id: number }>("SELECT id FROM events ORDER BY id DESC LIMIT 1 OFFSET ?", keptEvents);
    if (!last) return;
    sql.exec("DELETE FROM events WHERE id <= ?", last.id);
    kv.put("droppedTo", last.id);
  }

  return {
    append(event) {
      const onceMore = event.type === "activity" ? "IGNORE" : "REPLACE";
      const [added] = sql.exec<{ id: number }>(
        `INSERT OR ${onceMore} INTO events (name, told) VALUES (?, ?) RETURNING id`,
        getEventName(event),
        JSON.stringify(event),
      );
      if (!added) return null;
      if (added.id % pruneEvery === 0) prune();
      return { id: added.id, event };
    },
    *after(id, personId, limit) {
      const rows = `SELECT id, told FROM events WHERE id > ?1
        AND (substr(name, 1, 5) <> 'seen ' OR substr(name, 6, length(?2) + 1) = ?2 || ' ') ORDER BY id LIMIT ?3`;
      for (const row of sql.exec<{ id: number; told: string }>(rows, id, personId ?? "", limit))
        yield { id: row.id, event: JSON.parse(row.told) };
    },
    newest,
    reaches: (id) => id >= droppedTo() && id <= newest(),
  };
}

function getEventName(event: WorkspaceEvent): string {
  switch (event.type) {
    case "activity":
      return `activity ${event.event.id}`;
    case "session-changed":
      return `session ${event.summary.session.id}`;
    case "session-deleted":
      return `session ${event.sessionId}`;
    case "project-changed":
      return `project ${event.project.id}`;
    case "project-deleted":
      return `project ${event.projectId}`;
    case "cron-changed":
      return `cron ${event.cron.id}`;
    case "cron-deleted":
      return `cron ${event.cronId}`;
    case "members-changed":
      return "members";
    case "seen":
      return `seen ${event.userId} ${event.sessionId}`;
  }
}
