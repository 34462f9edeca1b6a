// Subscribers: those who follow the live events of a chat, each over a WebSocket that lets the object sleep. A subscriber asks for one batch after
// the other until it has all there is; from then on it is sent what happens as it happens.

import { eventText, liveFrame, moreFrame } from "../../src/resources/live-event.ts";
import { asSent, isEndOf, type StoredEvent } from "./live-events.ts";
import type { SubscribeRequest } from "./rpc.ts";
import { openSubscriptions, type Subscription, type SubscriptionParts, upToEnd } from "./subscription.ts";

export interface Subscribers {
  /** Takes a subscriber in. 404 for a turn that never was, 401 for a dead credential, 204 for one who has had all there will be. */
  accept(request: SubscribeRequest): Response;
  owns(socket: WebSocket): boolean;
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  /** Tells those who follow along what was appended to the log. To be called once that is kept. */
  publish(): void;
}

const tag = "subscriber";

/** Opens the subscribers of a chat. */
export function openSubscribers(ctx: DurableObjectState, parts: SubscriptionParts): Subscribers {
  const { log, turn, onWire } = parts;
  const { begin, isOver, hasEnded, next } = openSubscriptions(parts);
  const open = () => ctx.getWebSockets(tag).filter((socket) => socket.readyState === WebSocket.READY_STATE_OPEN);

  const subscribers: Subscribers = {
    accept(request) {
      if (request.turnId !== null && turn(request.turnId) === null) return new Response(null, { status: 404 });
      if (hasEnded(request.untilTurnId)) return new Response(null, { status: 401 });
      const subscription = begin(request);
      if (isOver(subscription)) return new Response(null, { status: 204 });
      const { 0: theirs, 1: ours } = new WebSocketPair();
      ctx.acceptWebSocket(ours, [tag]);
      ours.serializeAttachment(subscription);
      return new Response(null, { status: 101, webSocket: theirs });
    },
    owns: (socket) => ctx.getTags(socket).includes(tag),
    message(socket, frame) {
      if (frame !== moreFrame || socket.readyState !== WebSocket.READY_STATE_OPEN) return;
      // Whoever follows along by now hears of the latest first, so that nobody hears of it twice.
      subscribers.publish();
      const subscription = attachedTo(socket);
      if (subscription.isLive) return;
      const text = next(subscription);
      if (text !== "") socket.send(text);
      if (isOver(subscription)) return socket.close(1000, "there is no more");
      subscription.isLive = text === "";
      socket.serializeAttachment(subscription);
      if (subscription.isLive) socket.send(liveFrame);
    },
    publish() {
      const first = log.takeUntold();
      const sockets = first === null ? [] : open();
      if (first === null || sockets.length === 0) return;
      const events = log.after(first - 1, null, Number.POSITIVE_INFINITY);
      const isDeleted = events.some((event) => isEndOf(event, null));
      // Once for all who follow along.
      const texts = new Map<number, string>();
      const textOf = (event: StoredEvent) => {
        const text = texts.get(event.id) ?? eventText(asSent(event, onWire));
        texts.set(event.id, text);
        return text;
      };
      for (const socket of sockets) {
        const { turnId, lastTurnId, isLive } = attachedTo(socket);
        const wanted = events.filter((event) => turnId === null || event.turnId === turnId);
        const told = isLive ? upToEnd(wanted, lastTurnId) : [];
        if (told.length > 0) socket.send(told.map(textOf).join(""));
        const isEnded = told.some((event) => isEndOf(event, lastTurnId));
        if (isEnded || isDeleted) socket.close(1000, "there is no more");
      }
    },
  };
  return subscribers;
}

/** `accept` attached it. */
function attachedTo(socket: WebSocket): Subscription {
  return socket.deserializeAttachment() as Subscription;
}
