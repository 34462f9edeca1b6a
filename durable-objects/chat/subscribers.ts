// The subscribers of a chat's live events, each over a WebSocket that lets the object hibernate. A subscriber requests batches until it has
// all past events. From then on it is live: each new event is sent at once.

import { eventText, liveFrame, moreFrame } from "../../src/chat/wire/live-event.ts";
import { asSent, isEndOf, type StoredEvent } from "./live-events.ts";
import type { SubscribeRequest } from "./rpc.ts";
import { openSubscriptions, type Subscription, type SubscriptionParts, upToEnd } from "./subscribers-subscription.ts";

export interface Subscribers {
  /** Accepts a subscriber. 404 for an unknown turn, 401 for an expired credential, 204 if no more events can follow. */
  accept(request: SubscribeRequest): Response;
  owns(socket: WebSocket): boolean;
  /** Handles a closed subscriber. */
  closed(socket: WebSocket): void;
  /** When a person last read: a subscriber of theirs was opened, or told something. Null if nobody did. */
  lastReadAt(): number | null;
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  /** Sends newly logged events to live subscribers. Must be called after their transaction has committed. */
  publish(): void;
}

const tag = "subscriber";
/** Under this key the object keeps when a person last read who has left since. */
const lastReadKey = "lastReadAt";
/** A reader is noted at most this often. */
const readNotedEveryMs = 1_000;

/** Opens the subscribers of a chat. */
export function openSubscribers(ctx: DurableObjectState, parts: SubscriptionParts): Subscribers {
  const { log, turn, onWire } = parts;
  const { begin, isOver, hasEnded, next } = openSubscriptions(parts);
  const open = () => ctx.getWebSockets(tag).filter((socket) => socket.readyState === WebSocket.READY_STATE_OPEN);

  const kept = () => ctx.storage.kv.get<number>(lastReadKey) ?? null;

  /** Keeps when a person read whose socket is about to be forgotten. */
  function keepRead({ readAt = null }: Subscription): void {
    if (readAt !== null && readAt > (kept() ?? 0)) ctx.storage.kv.put(lastReadKey, readAt);
  }

  function close(socket: WebSocket): void {
    keepRead(attachedTo(socket));
    socket.close(1000, "there is no more");
  }

  const subscribers: Subscribers = {
    accept(request) {
      if (request.turnId !== null && turn(request.turnId) === null) return new Response(null, { status: 404 });
      if (hasEnded(request.untilTurnId)) return new Response(null, { status: 401 });
      const subscription = begin(request);
      if (isOver(subscription)) return new Response(null, { status: 204 });
      const { 0: theirs, 1: ours } = new WebSocketPair();
      ctx.acceptWebSocket(ours, [tag]);
      ours.serializeAttachment({ ...subscription, readAt: request.isPerson === true ? Date.now() : null });
      return new Response(null, { status: 101, webSocket: theirs });
    },
    owns: (socket) => ctx.getTags(socket).includes(tag),
    closed: (socket) => keepRead(attachedTo(socket)),
    lastReadAt() {
      const times = [kept(), ...open().map((socket) => attachedTo(socket).readAt)];
      return times.reduce<number | null>((last, at) => (at != null && at > (last ?? 0) ? at : last), null);
    },
    message(socket, frame) {
      if (frame !== moreFrame || socket.readyState !== WebSocket.READY_STATE_OPEN) return;
      // Pending events are published before this subscriber becomes live. Otherwise it would receive them twice.
      subscribers.publish();
      const subscription = attachedTo(socket);
      if (subscription.isLive) return;
      const text = next(subscription);
      if (text !== "") socket.send(text);
      if (isOver(subscription)) return close(socket);
      subscription.isLive = text === "";
      socket.serializeAttachment(subscription);
      if (subscription.isLive) socket.send(liveFrame);
    },
    publish() {
      const first = log.takeUnpublished();
      const sockets = first === null ? [] : open();
      if (first === null || sockets.length === 0) return;
      const events = log.after(first - 1, null, Number.POSITIVE_INFINITY);
      const isDeleted = events.some((event) => isEndOf(event, null));
      // Each event is serialized once for all subscribers.
      const texts = new Map<number, string>();
      const textOf = (event: StoredEvent) => {
        const text = texts.get(event.id) ?? eventText(asSent(event, onWire));
        texts.set(event.id, text);
        return text;
      };
      for (const socket of sockets) {
        const subscription = attachedTo(socket);
        const { turnId, lastTurnId, isLive } = subscription;
        const wanted = events.filter((event) => turnId === null || event.turnId === turnId);
        const sent = isLive ? upToEnd(wanted, lastTurnId) : [];
        if (sent.length > 0) {
          socket.send(sent.map(textOf).join(""));
          noteRead(socket, subscription);
        }
        const isEnded = sent.some((event) => isEndOf(event, lastTurnId));
        if (isEnded || isDeleted) close(socket);
      }
    },
  };
  return subscribers;
}

/** Notes that what was just sent is read, if by a person. */
function noteRead(socket: WebSocket, subscription: Subscription): void {
  const now = Date.now();
  const { readAt = null } = subscription;
  if (readAt !== null && now - readAt >= readNotedEveryMs) socket.serializeAttachment({ ...subscription, readAt: now });
}

/** The subscription that `accept` has attached. */
function attachedTo(socket: WebSocket): Subscription {
  return socket.deserializeAttachment() as Subscription;
}
