// The log of live events. An event is written in the transaction of the change that it reports, and
// read by subscribers. The log holds only the newest events. A subscriber that asks for older ones
// gets a snapshot instead.

import type { LiveEvent } from "../../src/chat/rules/live-event.ts";
import type { WireEvent } from "../../src/chat/wire/live-event.ts";

/** An event as stored in the log. */
export interface StoredEvent {
  id: number;
  turnId: string | null;
  type: string;
  /** The remaining fields of the event, as JSON. */
  data: string;
}

export interface LiveEvents {
  /** Appends to the log in the current transaction. After a rollback the event is never sent. */
  append(event: LiveEvent): void;
  /**
   * Replaces the log, after an object was set back, by one event that follows none that a
   * subscriber may have: every subscriber then gets a snapshot.
   */
  restartAfter(newest: number, event: LiveEvent): void;
  /** The range of ids in the log. In an empty log `oldest` is greater than `newest`. */
  span(): { oldest: number; newest: number };
  /** The first event of a turn; null if the log does not hold it. */
  findTurnBeginning(turnId: string): number | null;
  /** The events after an id, of one turn or of all turns, up to about `maxBytes`. */
  after(id: number, turnId: string | null, maxBytes: number): StoredEvent[];
  /** The first block of a turn that changed after an event; null if none did. */
  earliestChangedAfter(id: number, turnId: string): number | null;
  /** The first event appended since the last call; null if none was. */
  claimUnpublished(): number | null;
}

const keptEvents = 12_000;
const keptBytes = 16 * 2 ** 20;

/** The end of a turn is searched for among this many of its last events, however many it has. */
const lastLooked = 4;

/**
 * The condition of the partial index on turns, in the index's own words. SQLite uses the index only
 * if a query repeats the condition.
 */
const isIndexed = "event <> 'answer-text'";

const encoder = new TextEncoder();

type Ends = { oldest: number; oldestBytes: number; newest: number; newestBytes: number };
type Row = { id: number; turn_id: string | null; event: string; data: string };

/** Creates the log of an object. */
export function createLiveEvents({ sql }: DurableObjectStorage): LiveEvents {
  let unpublished: number | null = null;

  /** The oldest and newest event of the log; null if it is empty. */
  function ends(): Ends | null {
    const [found] = sql.exec<Ends>(
      `SELECT oldest.id AS oldest, oldest.total_bytes AS oldestBytes, newest.id AS newest, newest.total_bytes AS newestBytes
       FROM (SELECT id, total_bytes FROM event_log ORDER BY id LIMIT 1) AS oldest,
            (SELECT id, total_bytes FROM event_log ORDER BY id DESC LIMIT 1) AS newest`,
    );
    return found ?? null;
  }

  /**
   * Writes an event. In a full log it reuses the row of the oldest event, because a deleted row
   * also counts as a write.
   */
  function write(log: Ends | null, { id, turnId, type, data }: StoredEvent, totalBytes: number): void {
    const values = [id, turnId, type, data, totalBytes];
    if (log === null || log.newest - log.oldest + 1 < keptEvents)
      sql.exec("INSERT INTO event_log (id, turn_id, event, data, total_bytes) VALUES (?, ?, ?, ?, ?)", ...values);
    else {
      const taken = "UPDATE event_log SET id = ?, turn_id = ?, event = ?, data = ?, total_bytes = ? WHERE id = ?";
      sql.exec(taken, ...values, log.oldest);
    }
  }

  /** Deletes the oldest events beyond the byte limit. It reads only one of the remaining events. */
  function prune(totalBytes: number): void {
    sql.exec(
      "DELETE FROM event_log WHERE id < (SELECT id FROM event_log WHERE total_bytes > ? ORDER BY id LIMIT 1)",
      totalBytes - keptBytes,
    );
  }

  const number = (query: string, ...values: (string | number)[]) =>
    sql.exec<{ value: number | null }>(query, ...values).one().value;

  /**
   * The last event of a turn that has ended; for any other turn, a number greater than every id. So
   * a query does not read through the events of later turns.
   */
  function getTurnEnd(turnId: string): number {
    const last = `SELECT id, event FROM event_log WHERE turn_id = ? AND ${isIndexed} ORDER BY id DESC LIMIT ${lastLooked}`;
    const ended = [...sql.exec<{ id: number; event: string }>(last, turnId)].find(
      ({ event }) => event === "turn-ended",
    );
    return ended?.id ?? Number.MAX_SAFE_INTEGER;
  }

  return {
    append({ type, turnId, ...fields }) {
      const data = JSON.stringify(fields);
      const log = ends();
      const id = (log?.newest ?? 0) + 1;
      const totalBytes = (log?.newestBytes ?? 0) + encoder.encode(data).length;
      write(log, { id, turnId, type, data }, totalBytes);
      // When the owner is deleted, all its earlier events are deleted too. The deletion event keeps
      // the highest id.
      if (type === "deleted") sql.exec("DELETE FROM event_log WHERE id < ?", id);
      // After a rollback the same ids are used again, so the earliest id is still right.
      unpublished = Math.min(unpublished ?? id, id);
      if (log !== null && totalBytes - log.oldestBytes >= keptBytes) prune(totalBytes);
    },
    restartAfter(newest, { type, turnId, ...fields }) {
      const data = JSON.stringify(fields);
      sql.exec("DELETE FROM event_log");
      write(null, { id: newest + 2, turnId, type, data }, encoder.encode(data).length);
    },
    span() {
      const log = ends();
      const newest = log?.newest ?? 0;
      return { oldest: log?.oldest ?? newest + 1, newest };
    },
    findTurnBeginning(turnId) {
      // No turn starts with a text event, so the index covers the first event of every turn.
      const first = number(`SELECT min(id) AS value FROM event_log WHERE turn_id = ? AND ${isIndexed}`, turnId);
      if (first === null) return null;
      // Events are pruned from the front. So a turn is complete if an older event than its first
      // one remains.
      const { oldest } = this.span();
      return first > oldest || oldest === 1 ? first : null;
    },
    after(id, turnId, maxBytes) {
      const columns = "SELECT id, turn_id, event, data FROM event_log WHERE id > ?";
      const rows =
        turnId === null
          ? sql.exec<Row>(`${columns} ORDER BY id`, id)
          : sql.exec<Row>(`${columns} AND id <= ? AND turn_id = ? ORDER BY id`, id, getTurnEnd(turnId), turnId);
      const events: StoredEvent[] = [];
      let bytes = 0;
      // Read row by row, so that memory never holds more than what is asked for.
      for (const row of rows) {
        events.push({ id: row.id, turnId: row.turn_id, type: row.event, data: row.data });
        bytes += row.data.length;
        if (bytes >= maxBytes) break;
      }
      return events;
    },
    earliestChangedAfter(id, turnId) {
      return number(
        `SELECT min(data ->> '$.place') AS value FROM event_log
         WHERE turn_id = ? AND id > ? AND event IN ('answer-block', 'answer-text')`,
        turnId,
        id,
      );
    },
    claimUnpublished() {
      const first = unpublished;
      unpublished = null;
      return first;
    },
  };
}

/** True for the end of a turn, or of the owner if no turn is named. */
export function isEndOfTurn(
  { type, turnId }: Pick<StoredEvent, "type" | "turnId">,
  endedTurnId: string | null,
): boolean {
  return turnId === endedTurnId && (type === "turn-ended" || type === "deleted" || type === "end");
}

/** An event in the form in which it is sent. */
export function asSent(stored: StoredEvent, toWire: (event: LiveEvent) => WireEvent) {
  const { id, type, turnId, data } = stored;
  // Only `append` writes to the log, so the type is right.
  const sent = toWire({ type, turnId, ...JSON.parse(data) } as LiveEvent);
  return { id, event: sent.event, data: JSON.stringify(sent.data) };
}
