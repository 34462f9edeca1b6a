// Readers: those who follow a session's live events, each over a WebSocket that lets the object sleep. A reader asks for one batch after
// the other until it has all there is; from then on it is sent what happens as it happens.

import { eventText, readerLive, readerMore } from "../src/resources/live-event.ts";
import { isUnfinished, type Turn } from "../src/rules/turn.ts";
import type { LiveEvents } from "./live-events.ts";
import type { PictureProgress, Pictures } from "./picture.ts";

/** What somebody wants to follow. */
export interface ReaderOrder {
  /** One turn to its end; null for the whole session. */
  turnId: string | null;
  /** The last event that it knows. */
  lastEventId: string | null;
}

export interface ReadersParts {
  log: LiveEvents;
  pictures: Pictures;
  turn(turnId: string): Turn | null;
  newestTurn(): Turn | null;
}

export interface Readers {
  /** Takes a reader in. 404 for a turn that never was, 204 for one who has had all there will be. */
  accept(order: ReaderOrder): Response;
  owns(socket: WebSocket): boolean;
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  /** Tells those who follow along what was appended to the log. To be called once that is kept. */
  publish(): void;
}

/** What is known of a reader while the object sleeps. */
interface Reader {
  turnId: string | null;
  /** The last event that it was sent. */
  cursor: number;
  isLive: boolean;
  /** Set while it is shown how things stand; `shown` counts the events of that. */
  picture: (PictureProgress & { shown: number }) | null;
}

const tag = "reader";
const batchBytes = 256 * 2 ** 10;

/** Opens the readers of an object. */
export function openReaders(ctx: DurableObjectState, { log, pictures, turn, newestTurn }: ReadersParts): Readers {
  /** Where a reader begins: behind the event it knows, or with the newest turn, or with a picture where the log does not reach back. */
  function readerFor({ turnId, lastEventId }: ReaderOrder): Reader {
    const { oldest, newest } = log.span();
    const known =
      lastEventId === null ? beginningOf(turnId) : /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    if (known !== null && known >= oldest - 1 && known <= newest)
      return { turnId, cursor: known, isLive: false, picture: null };
    const drawn = turnId ?? newestTurn()?.id ?? null;
    return { turnId, cursor: newest, isLive: false, picture: { ...pictures.begin(drawn), shown: 0 } };
  }

  function beginningOf(turnId: string | null): number | null {
    const begun = turnId ?? newestTurn()?.id;
    const first = begun === undefined ? null : log.beginningOf(begun);
    return first === null ? null : first - 1;
  }

  /** True for a reader of a turn that has ended and of which it has had everything. */
  function isOver({ turnId, cursor, picture }: Reader): boolean {
    if (turnId === null || picture || isUnfinished(turn(turnId))) return false;
    return log.after(cursor, turnId, 1).length === 0;
  }

  /** The next text for a reader that asked for more; empty when there is none. */
  function next(reader: Reader): string {
    const { turnId, picture } = reader;
    if (!picture) {
      const events = log.after(reader.cursor, turnId, batchBytes);
      reader.cursor = events.at(-1)?.id ?? reader.cursor;
      return events.map(eventText).join("");
    }
    const { events, isWhole } = pictures.draw(picture, turnId !== null);
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

  const open = () => ctx.getWebSockets(tag).filter((socket) => socket.readyState === WebSocket.READY_STATE_OPEN);

  const readers: Readers = {
    accept(order) {
      if (order.turnId !== null && turn(order.turnId) === null) return new Response(null, { status: 404 });
      const reader = readerFor(order);
      if (isOver(reader)) return new Response(null, { status: 204 });
      const { 0: theirs, 1: ours } = new WebSocketPair();
      ctx.acceptWebSocket(ours, [tag]);
      ours.serializeAttachment(reader);
      return new Response(null, { status: 101, webSocket: theirs });
    },
    owns: (socket) => ctx.getTags(socket).includes(tag),
    message(socket, frame) {
      if (frame !== readerMore || socket.readyState !== WebSocket.READY_STATE_OPEN) return;
      // Whoever follows along by now hears of the latest first, so that nobody hears of it twice.
      readers.publish();
      const reader = attachedTo(socket);
      if (reader.isLive) return;
      const text = next(reader);
      if (text !== "") socket.send(text);
      if (isOver(reader)) return socket.close(1000, "there is no more");
      reader.isLive = text === "";
      socket.serializeAttachment(reader);
      if (reader.isLive) socket.send(readerLive);
    },
    publish() {
      const first = log.takeUntold();
      const sockets = first === null ? [] : open();
      if (first === null || sockets.length === 0) return;
      const events = log.after(first - 1, null, Number.POSITIVE_INFINITY);
      const isDeleted = events.some(({ event, turnId }) => event === "end" && turnId === null);
      for (const socket of sockets) {
        const { turnId, isLive } = attachedTo(socket);
        const told = isLive ? events.filter((event) => turnId === null || event.turnId === turnId) : [];
        if (told.length > 0) socket.send(told.map(eventText).join(""));
        const isEnded = turnId !== null && told.some(({ event }) => event === "end");
        if (isEnded || isDeleted) socket.close(1000, "there is no more");
      }
    },
  };
  return readers;
}

/** `accept` attached it. */
function attachedTo(socket: WebSocket): Reader {
  return socket.deserializeAttachment() as Reader;
}
