// Readers: those who follow a session's live events, each over a WebSocket that lets the object sleep. A reader asks for one batch after
// the other until it has all there is; from then on it is sent what happens as it happens.

import { eventText, readerLive, readerMore } from "../../src/resources/live-event.ts";
import { isEndOf, openReading, type Reader, type ReaderOrder, type ReadingParts, upToEnd } from "./subscription.ts";

export interface Readers {
  /** Takes a reader in. 404 for a turn that never was, 401 for a dead credential, 204 for one who has had all there will be. */
  accept(order: ReaderOrder): Response;
  owns(socket: WebSocket): boolean;
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  /** Tells those who follow along what was appended to the log. To be called once that is kept. */
  publish(): void;
}

const tag = "reader";

/** Opens the readers of an object. */
export function openReaders(ctx: DurableObjectState, parts: ReadingParts): Readers {
  const { log, turn } = parts;
  const { begin, isOver, hasEnded, next } = openReading(parts);
  const open = () => ctx.getWebSockets(tag).filter((socket) => socket.readyState === WebSocket.READY_STATE_OPEN);

  const readers: Readers = {
    accept(order) {
      if (order.turnId !== null && turn(order.turnId) === null) return new Response(null, { status: 404 });
      if (hasEnded(order.untilTurnId)) return new Response(null, { status: 401 });
      const reader = begin(order);
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
        const { turnId, lastTurnId, isLive } = attachedTo(socket);
        const ofReader = events.filter((event) => turnId === null || event.turnId === turnId);
        const told = isLive ? upToEnd(ofReader, lastTurnId) : [];
        if (told.length > 0) socket.send(told.map(eventText).join(""));
        const isEnded = told.some((event) => isEndOf(event, lastTurnId));
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
