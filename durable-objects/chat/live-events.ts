// The log of live events. An event is written in the transaction of the change that it reports, and read by subscribers. The log holds the newest
// events. Older ones are dropped; a subscriber that asks for them gets a snapshot instead. So does one that asks for those of an earlier version.
import type { WireEvent } from "../../src/resources/live-event.ts";
import type { LiveEvent } from "../../src/rules/chat/live-event.ts";

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
/** The log is pruned after this many events, and after each large one. */
const pruneEvery = 256;
const largeBytes = 64 * 2 ** 10;

/** The end of a turn is looked for among so many of its last events, however many it has. */
const lastLooked = 4;

/** Which events are in the index of turns, in its own words: without them, it is not used. */
const isIndexed = "event <> 'answer-text'";

type Row = { id: number; turn_id: string | null; event: string; data: string };

/** Opens the log of an object. */
export function openLiveEvents({ sql }: DurableObjectStorage): LiveEvents {
  let unpublished: number | null = null;

  function prune(): void {
    sql.exec(
      `DELETE FROM event_log WHERE id <= (
         SELECT max(id) FROM (
           SELECT id, row_number() OVER newest AS place, sum(octet_length(data)) OVER newest AS bytes
           FROM event_log WINDOW newest AS (ORDER BY id DESC)
         ) WHERE place > 1 AND (place > ? OR bytes > ?)
       )`,
      keptEvents,
      keptBytes,
    );
  }

  const number = (query: string, ...values: (string | number)[]) =>
    sql.exec<{ value: number | null }>(query, ...values).one().value;

  /** The last event of a turn that has ended; of another, a number behind all. So the events of later turns are not read through. */
  function endOf(turnId: string): number {
    const last = `SELECT id, event FROM event_log WHERE turn_id = ? AND ${isIndexed} ORDER BY id DESC LIMIT ${lastLooked}`;
    const ended = [...sql.exec<{ id: number; event: string }>(last, turnId)].find(
      ({ event }) => event === "turn-ended",
    );
    return ended?.id ?? Number.MAX_SAFE_INTEGER;
  }

  return {
    append({ type, turnId, ...fields }) {
      const json = JSON.stringify(fields);
      const { id } = sql
        .exec<{ id: number }>(
          `INSERT INTO event_log (id, turn_id, event, data)
           VALUES (coalesce((SELECT max(id) FROM event_log), (SELECT max(id) FROM live_events), 0) + 1, ?, ?, ?) RETURNING id`,
          turnId,
          type,
          json,
        )
        .one();
      // With its owner, all that was told of it is deleted. The number stays the highest.
      if (type === "deleted") sql.exec("DELETE FROM event_log WHERE id < ?", id);
      // After a rollback the same ids are used again, so the earliest id is still right.
      unpublished = Math.min(unpublished ?? id, id);
      if (id % pruneEvery === 0 || json.length > largeBytes) prune();
    },
    span() {
      const [row] = sql
        .exec<{ oldest: number | null; newest: number | null }>(
          "SELECT (SELECT min(id) FROM event_log) AS oldest, (SELECT max(id) FROM event_log) AS newest",
        )
        .toArray();
      const newest = row?.newest ?? number("SELECT max(id) AS value FROM live_events") ?? 0;
      return { oldest: row?.oldest ?? newest + 1, newest };
    },
    beginningOf(turnId) {
      // No turn begins with a piece of text.
      const first = number(`SELECT min(id) AS value FROM event_log WHERE turn_id = ? AND ${isIndexed}`, turnId);
      if (first === null) return null;
      // What is pruned is pruned from the front: a turn whose first event has another before it is whole.
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
