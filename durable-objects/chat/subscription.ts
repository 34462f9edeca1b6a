// Reading: a reader's way through a session's live events. It begins where it left off, or with the newest turn, and has one batch after the
// other until it has all there is.
import { eventText } from "../../src/resources/live-event.ts";
import { isUnfinished, type Turn } from "../../src/rules/chat/turn.ts";
import type { KeptEvent, LiveEvents } from "./live-events.ts";
import type { PictureProgress, Pictures } from "./snapshot.ts";

/** What somebody wants to follow. */
export interface ReaderOrder {
  /** One turn to its end; null for the whole session. */
  turnId: string | null;
  /** The turn that its credential dies with, which may be of another session; null for one that outlives turns. */
  untilTurnId: string | null;
  /** The last event that it knows. */
  lastEventId: string | null;
}

export interface ReadingParts {
  log: LiveEvents;
  pictures: Pictures;
  turn(turnId: string): Turn | null;
  newestTurn(): Turn | null;
}

/** What is known of a reader while the object sleeps. */
export interface Reader {
  turnId: string | null;
  /** The turn whose end is the last that it hears; null where only the session's own is. */
  lastTurnId: string | null;
  /** The last event that it was sent. */
  cursor: number;
  isLive: boolean;
  /** Set while it is shown how things stand; `shown` counts the events of that. */
  picture: (PictureProgress & { shown: number }) | null;
}

export interface Reading {
  begin(order: ReaderOrder): Reader;
  /** The next text for a reader that asked for more; empty when there is none. */
  next(reader: Reader): string;
  /** True for a reader up to a turn that has ended and of which it has had everything. */
  isOver(reader: Reader): boolean;
  /** True for a turn of this session that is over. */
  hasEnded(turnId: string | null): boolean;
}

const batchBytes = 256 * 2 ** 10;

/** Opens the ways through the live events of an object. */
export function openReading({ log, pictures, turn, newestTurn }: ReadingParts): Reading {
  const find = (turnId: string | null) => (turnId === null ? null : turn(turnId));

  /** Where a reader begins: behind the event it knows, or with the newest turn, or with a picture where the log does not reach back. */
  function begin({ turnId, untilTurnId, lastEventId }: ReaderOrder): Reader {
    const lastTurnId = turnId ?? find(untilTurnId)?.id ?? null;
    const { oldest, newest } = log.span();
    const known =
      lastEventId === null ? beginningOf(turnId) : /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    if (known !== null && known >= oldest - 1 && known <= newest)
      return { turnId, lastTurnId, cursor: known, isLive: false, picture: null };
    const drawn = turnId ?? newestTurn()?.id ?? null;
    return { turnId, lastTurnId, cursor: newest, isLive: false, picture: { ...pictures.begin(drawn), shown: 0 } };
  }

  function hasEnded(turnId: string | null): boolean {
    const found = find(turnId);
    return found !== null && !isUnfinished(found);
  }

  function beginningOf(turnId: string | null): number | null {
    const begun = turnId ?? newestTurn()?.id;
    const first = begun === undefined ? null : log.beginningOf(begun);
    return first === null ? null : first - 1;
  }

  /** True for a reader up to a turn that has ended and of which it has had everything. */
  function isOver({ lastTurnId, cursor, picture }: Reader): boolean {
    if (lastTurnId === null || picture || isUnfinished(turn(lastTurnId))) return false;
    return log.after(cursor, lastTurnId, 1).length === 0;
  }

  /** The next text for a reader that asked for more; empty when there is none. */
  function next(reader: Reader): string {
    const { turnId, lastTurnId, picture } = reader;
    if (!picture) {
      const events = upToEnd(log.after(reader.cursor, turnId, batchBytes), lastTurnId);
      reader.cursor = events.at(-1)?.id ?? reader.cursor;
      return events.map(eventText).join("");
    }
    const { events, isWhole } = pictures.draw(picture, turnId !== null || hasEnded(lastTurnId));
    const text = events.map(({ event, data }, place) => {
      // An id within a picture is none of the log's: whoever is cut off there is shown a new one.
      picture.shown += 1;
      const isLast = isWhole && place === events.length - 1;
      const id = isLast ? picture.since : `${picture.since}.${picture.shown}`;
      return eventText({ id, event, data: JSON.stringify(data) });
    });
    if (isWhole) Object.assign(reader, { picture: null, cursor: picture.since });
    return text.join("");
  }

  return { begin, next, isOver, hasEnded };
}

/** The end of a turn; of the session itself where no turn is named. */
export function isEndOf({ event, turnId }: KeptEvent, endedTurnId: string | null): boolean {
  return event === "end" && turnId === endedTurnId;
}

/** Leaves out what came after an end. */
export function upToEnd(events: KeptEvent[], lastTurnId: string | null): KeptEvent[] {
  const end = events.findIndex((event) => isEndOf(event, lastTurnId));
  return end === -1 ? events : events.slice(0, end + 1);
}
