// Live events as an object keeps them: a log that is written with what it tells of, and read by whoever follows along or comes back. It
// holds the newest events; the older ones are dropped, and who asks for those is shown how things stand instead.
import { isWireEvent, type WireEvent } from "../../src/resources/live-event.ts";
import type { LiveEvent } from "../../src/rules/chat/live-event.ts";

/** An event as the log holds it. */
export interface StoredEvent {
  id: number;
  turnId: string | null;
  type: string;
  /** JSON: what the event tells besides. */
  data: string;
}

export interface LiveEvents {
  /** Adds to the log, as part of whatever is under way: what is not kept in the end is never told. */
  append(event: LiveEvent): void;
  /** The ids that the log holds; of an empty one, `oldest` comes after `newest`. */
  span(): { oldest: number; newest: number };
  /** The first event of a turn; null when the log no longer holds it, or never did. */
  beginningOf(turnId: string): number | null;
  /** What came after an event, of one turn or of all, up to about so many bytes. */
  after(id: number, turnId: string | null, maxBytes: number): StoredEvent[];
  /** The earliest block of a turn that changed after an event; null when none did. */
  earliestChangedAfter(id: number, turnId: string): number | null;
  /** The first event that was appended since this was last asked; null when none was. */
  takeUntold(): number | null;
}

const keptEvents = 12_000;
const keptBytes = 16 * 2 ** 20;
/** The log is pruned this often, and after an event that is large. */
const pruneEvery = 256;
const largeBytes = 64 * 2 ** 10;

type Row = { id: number; turn_id: string | null; event: string; data: string };

/** Opens the log of an object. */
export function openLiveEvents({ sql }: DurableObjectStorage): LiveEvents {
  let untold: number | null = null;

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
    append({ type, turnId, ...told }) {
      const json = JSON.stringify(told);
      const { id } = sql
        .exec<{ id: number }>(
          "INSERT INTO live_events (turn_id, event, data) VALUES (?, ?, ?) RETURNING id",
          turnId,
          type,
          json,
        )
        .one();
      // After a rollback the same ids come again, so that the earliest of them stands for what was kept.
      untold = Math.min(untold ?? id, id);
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
        // The second half reads what logs of before hold in the words of the wire.
        `SELECT min(coalesce(data ->> '$.place', data ->> '$.index')) AS value FROM live_events
         WHERE turn_id = ? AND id > ? AND (event IN ('answer-block', 'answer-text')
           OR event = 'delta' OR event = 'block' AND data ->> '$.role' = 'assistant')`,
        turnId,
        id,
      );
    },
    takeUntold() {
      const first = untold;
      untold = null;
      return first;
    },
  };
}

/** The end of a turn; of the owner itself where no turn is named. */
export function isEndOf({ type, turnId }: Pick<StoredEvent, "type" | "turnId">, endedTurnId: string | null): boolean {
  return turnId === endedTurnId && (type === "turn-ended" || type === "deleted" || type === "end");
}

/** An event as it goes out. Logs of before hold events in the words of the wire. */
export function asSent(stored: StoredEvent, onWire: (event: LiveEvent) => WireEvent) {
  const { id, type, turnId, data } = stored;
  if (isWireEvent(type)) return { id, event: type, data };
  // Only `append` puts events there.
  const sent = onWire({ type, turnId, ...JSON.parse(data) } as LiveEvent);
  return { id, event: sent.event, data: JSON.stringify(sent.data) };
}
