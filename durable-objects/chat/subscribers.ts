// The subscribers of a chat's live events, each over a WebSocket that lets the object hibernate. A
// subscriber requests batches until it has all past events. From then on it is live: each new event
// is sent immediately.

import type { LiveEvent, PrintedOutput, TurnView } from "../../src/chat/rules/live-event.ts";
import { isUnfinished, type Turn } from "../../src/chat/rules/turn.ts";
import { toWireJob } from "../../src/chat/wire/job.ts";
import { formatEvent, liveFrame, moreFrame, toWireOutput, type WireEvent } from "../../src/chat/wire/live-event.ts";
import { asSent, isEndOfTurn, type LiveEvents, type StoredEvent } from "./live-events.ts";
import type { SnapshotProgress, Snapshots } from "./live-snapshot.ts";
import type { SubscribeRequest } from "./rpc.ts";

export interface Subscribers {
  /**
   * Accepts a subscriber. Responds with 404 for an unknown turn, 401 for an expired credential, and
   * 204 if no more events can follow.
   */
  accept(request: SubscribeRequest): Response;
  owns(socket: WebSocket): boolean;
  /** Handles a closed subscriber. */
  closed(socket: WebSocket): void;
  /**
   * When a person last read: their subscription was opened, or an event was sent to it. Now while a
   * browser follows, because the console follows only while its page is in front. Null if no person
   * has read.
   */
  lastReadAt(): number | null;
  /** The people who follow in a browser. */
  listFollowers(): string[];
  message(socket: WebSocket, frame: string | ArrayBuffer): void;
  /**
   * Sends newly logged events to live subscribers. Must be called after their transaction has
   * committed.
   */
  publish(): void;
  /** True while a live subscriber reads the events of this turn. */
  isRead(turnId: string): boolean;
  /** Sends what a running tool has printed to the live subscribers of its turn. */
  showOutput(output: PrintedOutput): void;
  /** Sends how far the start of a pending turn's sandbox is to the live subscribers of the turn. */
  showBoot(turn: TurnView): void;
}

const tag = "subscriber";
/** The storage key for the last read by a person whose subscription has since closed. */
const lastReadKey = "lastReadAt";
/** A person's reading is recorded at most this often. */
const readNotedEveryMs = 1_000;

/** Creates the subscribers of a chat. */
export function createSubscribers(ctx: DurableObjectState, parts: SubscriptionParts): Subscribers {
  const { log, turn, toWire, onReader } = parts;
  const { begin, isOver, hasEnded, next } = createSubscriptions(parts);
  const open = () => ctx.getWebSockets(tag).filter((socket) => socket.readyState === WebSocket.READY_STATE_OPEN);

  /** The turn whose sandbox starts, as it was sent last. An eviction forgets it. */
  let starting: TurnView | null = null;
  const toBootEvent = (shown: TurnView) => ({ event: "job", data: { job: toWireJob(shown) } });

  const kept = () => ctx.storage.kv.get<number>(lastReadKey) ?? null;

  /** Stores when a person last read, before their socket is forgotten. */
  function saveRead(subscription: Subscription): void {
    const readAt = findReadAt(subscription);
    if (readAt !== null && readAt > (kept() ?? 0)) ctx.storage.kv.put(lastReadKey, readAt);
  }

  /** The live subscribers that read the events of a turn. */
  const readersOf = (turnId: string) =>
    open()
      .map((socket) => ({ socket, subscription: attachedTo(socket) }))
      .filter(({ subscription: of }) => of.isLive && (of.turnId === null || of.turnId === turnId));

  function close(socket: WebSocket): void {
    saveRead(attachedTo(socket));
    socket.close(1000, "there is no more");
  }

  /** Sends an event that is not in the log, after all that are. */
  function sendUnlogged(turnId: string, { event, data }: WireEvent): void {
    subscribers.publish();
    const text = formatEvent({ id: null, event, data: JSON.stringify(data) });
    for (const { socket, subscription } of readersOf(turnId)) {
      socket.send(text);
      recordRead(socket, subscription);
    }
  }

  /** A start that waits for a long step sends nothing new, so a new reader gets its last event. */
  function sendStart(socket: WebSocket, { turnId }: Subscription): void {
    if (starting !== null && turn(starting.id)?.status !== "pending") starting = null;
    if (starting === null) return;
    if (turnId !== null && turnId !== starting.id) return;
    const { event, data } = toBootEvent(starting);
    socket.send(formatEvent({ id: null, event, data: JSON.stringify(data) }));
  }

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
    closed: (socket) => saveRead(attachedTo(socket)),
    lastReadAt() {
      const times = [kept(), ...open().map((socket) => findReadAt(attachedTo(socket)))];
      return times.reduce<number | null>((last, at) => (at != null && at > (last ?? 0) ? at : last), null);
    },
    listFollowers: () => [...new Set(open().flatMap((socket) => attachedTo(socket).followerId ?? []))],
    message(socket, frame) {
      if (frame !== moreFrame || socket.readyState !== WebSocket.READY_STATE_OPEN) return;
      // Pending events are published before this subscriber becomes live. Otherwise it would
      // receive them twice.
      subscribers.publish();
      const subscription = attachedTo(socket);
      if (subscription.isLive) return;
      const text = next(subscription);
      if (text !== "") socket.send(text);
      if (isOver(subscription)) return close(socket);
      subscription.isLive = text === "";
      socket.serializeAttachment(subscription);
      if (!subscription.isLive) return;
      socket.send(liveFrame);
      sendStart(socket, subscription);
      onReader(subscription.turnId);
    },
    publish() {
      const first = log.claimUnpublished();
      const sockets = first === null ? [] : open();
      if (first === null || sockets.length === 0) return;
      const events = log.after(first - 1, null, Number.POSITIVE_INFINITY);
      const isDeleted = events.some((event) => isEndOfTurn(event, null));
      // Each event is serialized once for all subscribers.
      const texts = new Map<number, string>();
      const getText = (event: StoredEvent) => {
        const text = texts.get(event.id) ?? formatEvent(asSent(event, toWire));
        texts.set(event.id, text);
        return text;
      };
      for (const socket of sockets) {
        const subscription = attachedTo(socket);
        const { turnId, lastTurnId, isLive } = subscription;
        const wanted = events.filter((event) => turnId === null || event.turnId === turnId);
        const sent = isLive ? upToEnd(wanted, lastTurnId) : [];
        if (sent.length > 0) {
          socket.send(sent.map(getText).join(""));
          recordRead(socket, subscription);
        }
        const isEnded = sent.some((event) => isEndOfTurn(event, lastTurnId));
        if (isEnded || isDeleted) close(socket);
      }
    },
    isRead: (turnId) => readersOf(turnId).length > 0,
    // The event of the tool's block precedes its output.
    showOutput: (output) => sendUnlogged(output.turnId, toWireOutput(output)),
    showBoot(shown) {
      starting = shown;
      sendUnlogged(shown.id, toBootEvent(shown));
    },
  };
  return subscribers;
}

/** Records that a person has read what was just sent. */
function recordRead(socket: WebSocket, subscription: Subscription): void {
  const now = Date.now();
  const { readAt } = subscription;
  if (readAt !== null && now - readAt >= readNotedEveryMs) socket.serializeAttachment({ ...subscription, readAt: now });
}

/** When the person of an open subscription last read; null if it is not a person's. */
const findReadAt = ({ readAt, followerId }: Subscription): number | null => (followerId ? Date.now() : readAt);

/** The subscription that `accept` has attached. */
function attachedTo(socket: WebSocket): Subscription {
  return socket.deserializeAttachment() as Subscription;
}

/** What the subscriptions of a chat need. */
export interface SubscriptionParts {
  log: LiveEvents;
  snapshots: Snapshots;
  turn(turnId: string): Turn | null;
  newestTurn(): Turn | null;
  toWire(event: LiveEvent): WireEvent;
  /** Called when a subscriber becomes live: one of this turn, or of the whole chat for null. */
  onReader(turnId: string | null): void;
}

/**
 * The position of one subscriber in the live events of a chat. It starts after the subscriber's
 * last event, or with the newest turn, and advances by one batch at a time. It is attached to the
 * socket, so that it survives hibernation.
 */
export interface Subscription {
  turnId: string | null;
  /** The turn whose end closes the subscription; null if only the deletion of the owner does. */
  lastTurnId: string | null;
  /** The last event that was sent. */
  cursor: number;
  isLive: boolean;
  /** Set while a snapshot is being sent. `shown` counts the snapshot's events. */
  snapshot: (SnapshotProgress & { shown: number; isToReset?: boolean }) | null;
  /**
   * When its person last read: it was opened, or an event was sent to it. Null if it is not a
   * person's.
   */
  readAt: number | null;
  /** The person who follows in a browser. */
  followerId?: string | null;
}

export interface Subscriptions {
  begin(request: SubscribeRequest): Subscription;
  /** The next text for a subscriber that asked for more; empty if there is none. */
  next(subscription: Subscription): string;
  /** True for a subscription to an ended turn all of whose events were sent. */
  isOver(subscription: Subscription): boolean;
  /** True for an ended turn of this chat. */
  hasEnded(turnId: string | null): boolean;
}

const batchBytes = 192 * 2 ** 10;

/** Creates the subscriptions of a chat. */
function createSubscriptions({ log, snapshots, turn, newestTurn, toWire }: SubscriptionParts): Subscriptions {
  const find = (turnId: string | null) => (turnId === null ? null : turn(turnId));

  /**
   * Starts after the subscriber's last event, or with the newest turn. Starts with a snapshot if
   * the log does not reach back that far.
   */
  function begin({
    turnId,
    untilTurnId,
    lastEventId,
    isPerson,
    wantsSnapshot,
    followerId = null,
  }: SubscribeRequest): Subscription {
    const lastTurnId = turnId ?? find(untilTurnId)?.id ?? null;
    const { oldest, newest } = log.span();
    const readAt = isPerson === true ? Date.now() : null;
    const known =
      lastEventId === null ? findTurnBeginning(turnId) : /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    const isFirst = lastEventId === null;
    const isKnown = known !== null && known >= oldest - 1 && known <= newest;
    if (isKnown && !(isFirst && wantsSnapshot))
      return { turnId, lastTurnId, cursor: known, isLive: false, snapshot: null, readAt, followerId };
    // A client that was away learns that it missed events. A first connection did not miss any.
    const snapshot = createSnapshot({ turnId, lastTurnId }, !isFirst || wantsSnapshot === true);
    return { turnId, lastTurnId, cursor: newest, isLive: false, snapshot, readAt, followerId };
  }

  /** Begins a snapshot. A subscription sees no turn after its last one. */
  function createSnapshot({ turnId, lastTurnId }: Pick<Subscription, "turnId" | "lastTurnId">, isToReset: boolean) {
    const first = turnId ?? (hasEnded(lastTurnId) ? lastTurnId : newestTurn()?.id) ?? null;
    return { ...snapshots.begin(first), shown: 0, isToReset };
  }

  /**
   * True if the log has dropped events that a slow subscriber has not received yet. The deletion of
   * the owner drops all events before it, and is itself the next one.
   */
  function hasMissed({ cursor, turnId }: Subscription): boolean {
    return cursor < log.span().oldest - 1 && log.after(cursor, turnId, 1)[0]?.type !== "deleted";
  }

  function hasEnded(turnId: string | null): boolean {
    const found = find(turnId);
    return found !== null && !isUnfinished(found);
  }

  function findTurnBeginning(turnId: string | null): number | null {
    const started = turnId ?? newestTurn()?.id;
    const first = started === undefined ? null : log.findTurnBeginning(started);
    return first === null ? null : first - 1;
  }

  function isOver({ lastTurnId, cursor, snapshot }: Subscription): boolean {
    if (lastTurnId === null || snapshot || isUnfinished(turn(lastTurnId))) return false;
    return log.after(cursor, lastTurnId, 1).length === 0;
  }

  function next(subscription: Subscription): string {
    const { turnId, lastTurnId } = subscription;
    if (subscription.snapshot === null && hasMissed(subscription))
      subscription.snapshot = createSnapshot(subscription, true);
    const { snapshot } = subscription;
    if (!snapshot) {
      const events = upToEnd(log.after(subscription.cursor, turnId, batchBytes), lastTurnId);
      subscription.cursor = events.at(-1)?.id ?? subscription.cursor;
      return events.map((event) => formatEvent(asSent(event, toWire))).join("");
    }
    if (snapshot.isToReset) {
      snapshot.isToReset = false;
      return formatEvent({ id: `${snapshot.since}.0`, event: "reset", data: "{}" });
    }
    const { events, isWhole } = snapshots.read(snapshot, turnId !== null || hasEnded(lastTurnId));
    const text = events.map((liveEvent, index) => {
      const { event, data } = toWire(liveEvent);
      // Ids within a snapshot are not ids of the log. A subscriber that reconnects with one gets a
      // new snapshot.
      snapshot.shown += 1;
      const isLast = isWhole && index === events.length - 1;
      const id = isLast ? snapshot.since : `${snapshot.since}.${snapshot.shown}`;
      return formatEvent({ id, event, data: JSON.stringify(data) });
    });
    if (isWhole) Object.assign(subscription, { snapshot: null, cursor: snapshot.since });
    return text.join("");
  }

  return { begin, next, isOver, hasEnded };
}

/** Drops the events after the one that closes the subscription. */
function upToEnd(events: StoredEvent[], lastTurnId: string | null): StoredEvent[] {
  const end = events.findIndex((event) => isEndOfTurn(event, lastTurnId));
  return end === -1 ? events : events.slice(0, end + 1);
}
