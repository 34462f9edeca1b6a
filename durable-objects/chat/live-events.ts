// The log of live events. An event is written in the transaction of the change that it reports, and
// read by subscribers. The log holds the newest events. Older ones are dropped; a subscriber that
// asks for them gets a snapshot instead. So does one that asks for those of an earlier version.

import type { LiveEvent } from "../../src/chat/rules/live-event.ts";
import type { WireEvent } from "../../src/chat/wire/live-event.ts";

/** An event as the log holds it. */
export interface StoredEvent {
  id: number;
  turnId: string | null;
  type: string;
  /** The rest of the event, as JSON. */
  data: string;
}

export interface LiveEvents {
  /** Appends to the log in the current transaction. After a rollback the event is never sent. */
  append(event: LiveEvent): void;
  /** The range of ids in the log. In an empty log `oldest` is greater than `newest`. */
  span(): { oldest: number; newest: number };
  /** The first event of a turn; null if the log does not hold it. */
  beginningOf(turnId: string): number | null;
  /** The events after an id, of one turn or of all, up to about this many bytes. */
  after(id: number, turnId: string | null, maxBytes: number): StoredEvent[];
  /** The earliest block of a turn that changed after an event; null if none did. */
  earliestChangedAfter(id: number, turnId: string): number | null;
  /** The first event since the last call of this; null if there is none. */
  takeUnpublished(): number | null;
}

const keptEvents = 12_000;
const keptBytes = 16 * 2 ** 20;

/** The end of a turn is looked for among so many of its last events, however many it has. */
const lastLooked = 4;

/** Which events are in the index of turns, in its own words: without them, it is not used. */
const isIndexed = "event <> 'answer-text'";

const encoder = new TextEncoder();

type Ends = { oldest: number; oldestBytes: number; newest: number; newestBytes: number };
type Row = { id: number; turn_id: string | null; event: string; data: string };

/** Opens the log of an object. */
export function openLiveEvents({ sql }: DurableObjectStorage): LiveEvents {
  let unpublished: number | null = null;

  /** The two ends of the log; null if it is empty. */
  function ends(): Ends | null {
    const [found] = sql.exec<Ends>(
      `SELECT oldest.id AS oldest, oldest.total_bytes AS oldestBytes, newest.id AS newest, newest.total_bytes AS newestBytes
       FROM (SELECT id, total_bytes FROM event_log ORDER BY id LIMIT 1) AS oldest,
            (SELECT id, total_bytes FROM event_log ORDER BY id DESC LIMIT 1) AS newest`,
    );
    return found ?? null;
  }

  const lastOfEarlierVersion = () => number("SELECT max(id) AS value FROM live_events") ?? 0;

  /**
   * Writes an event. In a full log it takes the row of the oldest, for a row that is deleted counts
   * as written, too.
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

  /** Drops the oldest events that are too many bytes. Of the others it reads one. */
  function prune(totalBytes: number): void {
    sql.exec(
      "DELETE FROM event_log WHERE id < (SELECT id FROM event_log WHERE total_bytes > ? ORDER BY id LIMIT 1)",
      totalBytes - keptBytes,
    );
  }

  const number = (query: string, ...values: (string | number)[]) =>
    sql.exec<{ value: number | null }>(query, ...values).one().value;

  /**
   * The last event of a turn that has ended; of another, a number behind all. So the events of
   * later turns are not read through.
   */
  function endOf(turnId: string): number {
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
      const id = (log?.newest ?? lastOfEarlierVersion()) + 1;
      const totalBytes = (log?.newestBytes ?? 0) + encoder.encode(data).length;
      write(log, { id, turnId, type, data }, totalBytes);
      // With its owner, all that was told of it is deleted. The number stays the highest.
      if (type === "deleted") sql.exec("DELETE FROM event_log WHERE id < ?", id);
      // After a rollback the same ids are used again, so the earliest id is still right.
      unpublished = Math.min(unpublished ?? id, id);
      if (log !== null && totalBytes - log.oldestBytes >= keptBytes) prune(totalBytes);
    },
    span() {
      const log = ends();
      const newest = log?.newest ?? lastOfEarlierVersion();
      return { oldest: log?.oldest ?? newest + 1, newest };
    },
    beginningOf(turnId) {
      // No turn begins with a piece of text.
      const first = number(`SELECT min(id) AS value FROM event_log WHERE turn_id = ? AND ${isIndexed}`, turnId);
      if (first === null) return null;
      // What is pruned is pruned from the front: a turn whose first event has another before it is
      // whole.
      const { oldest } = this.span();
      return first > oldest || oldest === 1 ? first : null;
    },
    after(id, turnId, maxBytes) {
      const columns = "SELECT id, turn_id, event, data FROM event_log WHERE id > ?";
      const rows =
        turnId === null
          ? sql.exec<Row>(`${columns} ORDER BY id`, id)
          : sql.exec<Row>(`${columns} AND id <= ? AND turn_id = ? ORDER BY id`, id, endOf(turnId), turnId);
      const events: StoredEvent[] = [];
      let bytes = 0;
      // Read row by row, so that no more than what is asked for is ever in memory.
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
    takeUnpublished() {
      const first = unpublished;
      unpublished = null;
      return first;
    },
  };
}

/** True for the end of a turn, or of the owner if no turn is named. */
export function isEndOf({ type, turnId }: Pick<StoredEvent, "type" | "turnId">, endedTurnId: string | null): boolean {
  return turnId === endedTurnId && (type === "turn-ended" || type === "deleted" || type === "end");
}

/** An event as it is sent. */
export function asSent(stored: StoredEvent, onWire: (event: LiveEvent) => WireEvent) {
  const { id, type, turnId, data } = stored;
  // Only `append` writes to the log, so the type is right.
  const sent = onWire({ type, turnId, ...JSON.parse(data) } as LiveEvent);
  return { id, event: sent.event, data: JSON.stringify(sent.data) };
}
