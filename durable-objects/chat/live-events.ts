// The log of live events. An event is written in the transaction of the change that it reports, and read by subscribers. The log holds the newest
// events. Older ones are dropped; a subscriber that asks for them gets a snapshot instead.
import { isWireEvent, type WireEvent } from "../../src/resources/live-event.ts";
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

type Row = { id: number; turn_id: string | null; event: string; data: string };

/** Opens the log of an object. */
export function openLiveEvents({ sql }: DurableObjectStorage): LiveEvents {
  let unpublished: number | null = null;

  function prune(): void {
    sql.exec(
      `DELETE FROM live_events WHERE id <= (
         SELECT max(id) FROM (
           SELECT id, row_number() OVER newest AS place, sum(octet_length(data)) OVER newest AS bytes
           FROM live_events WINDOW newest AS (ORDER BY id DESC)
         ) WHERE place > 1 AND (place > ? OR bytes > ?)
       )`,
      keptEvents,
      keptBytes,
    );
  }

  const number = (query: string, ...values: (string | number)[]) =>
    sql.exec<{ value: number | null }>(query, ...values).one().value;

  return {
    append({ type, turnId, ...fields }) {
      const json = JSON.stringify(fields);
      const { id } = sql
        .exec<{ id: number }>(
          "INSERT INTO live_events (turn_id, event, data) VALUES (?, ?, ?) RETURNING id",
          turnId,
          type,
          json,
        )
        .one();
      // After a rollback the same ids are used again, so the earliest id is still right.
      unpublished = Math.min(unpublished ?? id, id);
      if (id % pruneEvery === 0 || json.length > largeBytes) prune();
    },
    span() {
      const [row] = sql
        .exec<{ oldest: number | null; newest: number | null }>(
          "SELECT (SELECT min(id) FROM live_events) AS oldest, (SELECT max(id) FROM live_events) AS newest",
        )
        .toArray();
      const newest = row?.newest ?? 0;
      return { oldest: row?.oldest ?? newest + 1, newest };
    },
    beginningOf(turnId) {
      const first = number("SELECT min(id) AS value FROM live_events WHERE turn_id = ?", turnId);
      if (first === null) return null;
      // What is pruned is pruned from the front: a turn whose first event has another before it is whole.
      const { oldest } = this.span();
      return first > oldest || oldest === 1 ? first : null;
    },
    after(id, turnId, maxBytes) {
      const columns = "SELECT id, turn_id, event, data FROM live_events WHERE id > ?";
      const rows =
        turnId === null
          ? sql.exec<Row>(`${columns} ORDER BY id`, id)
          : sql.exec<Row>(`${columns} AND turn_id = ? ORDER BY id`, id, turnId);
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
        // The second half reads logs of earlier versions, which hold wire events.
        `SELECT min(coalesce(data ->> '$.place', data ->> '$.index')) AS value FROM live_events
         WHERE turn_id = ? AND id > ? AND (event IN ('answer-block', 'answer-text')
           OR event = 'delta' OR event = 'block' AND data ->> '$.role' = 'assistant')`,
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

/** An event as it is sent. Logs of earlier versions hold wire events. */
export function asSent(stored: StoredEvent, onWire: (event: LiveEvent) => WireEvent) {
  const { id, type, turnId, data } = stored;
  if (isWireEvent(type)) return { id, event: type, data };
  // Only `append` writes to the log, so the type is right.
  const sent = onWire({ type, turnId, ...JSON.parse(data) } as LiveEvent);
  return { id, event: sent.event, data: JSON.stringify(sent.data) };
}
