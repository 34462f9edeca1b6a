// A subscription: the position of one subscriber in the live events of a chat. It begins after the subscriber's last event, or with the newest
// turn, and advances by one batch at a time.

import type { LiveEvent } from "../../src/chat/rules/live-event.ts";
import { isUnfinished, type Turn } from "../../src/chat/rules/turn.ts";
import { eventText, type WireEvent } from "../../src/chat/wire/live-event.ts";
import { asSent, isEndOf, type LiveEvents, type StoredEvent } from "./live-events.ts";
import type { SnapshotProgress, Snapshots } from "./live-snapshot.ts";
import type { SubscribeRequest } from "./rpc.ts";

export interface SubscriptionParts {
  log: LiveEvents;
  snapshots: Snapshots;
  turn(turnId: string): Turn | null;
  newestTurn(): Turn | null;
  onWire(event: LiveEvent): WireEvent;
}

/** The state of a subscriber. It is attached to the socket, so that it survives hibernation. */
export interface Subscription {
  turnId: string | null;
  /** The turn whose end closes the subscription; null if only the deletion of the owner does. */
  lastTurnId: string | null;
  /** The last event that was sent. */
  cursor: number;
  isLive: boolean;
  /** Set while a snapshot is being sent. `shown` counts its events. */
  snapshot: (SnapshotProgress & { shown: number }) | null;
  /** When its person last read: it was opened, or told something. Null, or missing from before, for one of nobody. */
  readAt?: number | null;
}

export interface Subscriptions {
  begin(request: SubscribeRequest): Subscription;
  /** The next text for a subscriber that asked for more; empty when there is none. */
  next(subscription: Subscription): string;
  /** True for a subscriber up to a turn that has ended and of which it has had everything. */
  isOver(subscription: Subscription): boolean;
  /** True for an ended turn of this chat. */
  hasEnded(turnId: string | null): boolean;
}

const batchBytes = 192 * 2 ** 10;

/** Opens the subscriptions of a chat. */
export function openSubscriptions({ log, snapshots, turn, newestTurn, onWire }: SubscriptionParts): Subscriptions {
  const find = (turnId: string | null) => (turnId === null ? null : turn(turnId));

  /** Begins after the subscriber's last event, or with the newest turn. Begins with a snapshot if the log does not reach back that far. */
  function begin({ turnId, untilTurnId, lastEventId }: SubscribeRequest): Subscription {
    const lastTurnId = turnId ?? find(untilTurnId)?.id ?? null;
    const { oldest, newest } = log.span();
    const known =
      lastEventId === null ? beginningOf(turnId) : /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
    if (known !== null && known >= oldest - 1 && known <= newest)
      return { turnId, lastTurnId, cursor: known, isLive: false, snapshot: null };
    const first = turnId ?? newestTurn()?.id ?? null;
    return { turnId, lastTurnId, cursor: newest, isLive: false, snapshot: { ...snapshots.begin(first), shown: 0 } };
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

  /** True for a subscriber up to a turn that has ended and of which it has had everything. */
  function isOver({ lastTurnId, cursor, snapshot }: Subscription): boolean {
    if (lastTurnId === null || snapshot || isUnfinished(turn(lastTurnId))) return false;
    return log.after(cursor, lastTurnId, 1).length === 0;
  }

  /** The next text for a subscriber that asked for more; empty when there is none. */
  function next(subscription: Subscription): string {
    const { turnId, lastTurnId, snapshot } = subscription;
    if (!snapshot) {
      const events = upToEnd(log.after(subscription.cursor, turnId, batchBytes), lastTurnId);
      subscription.cursor = events.at(-1)?.id ?? subscription.cursor;
      return events.map((event) => eventText(asSent(event, onWire))).join("");
    }
    const { events, isWhole } = snapshots.read(snapshot, turnId !== null || hasEnded(lastTurnId));
    const text = events.map((liveEvent, index) => {
      const { event, data } = onWire(liveEvent);
      // Ids within a snapshot are not ids of the log. A subscriber that reconnects with one gets a new snapshot.
      snapshot.shown += 1;
      const isLast = isWhole && index === events.length - 1;
      const id = isLast ? snapshot.since : `${snapshot.since}.${snapshot.shown}`;
      return eventText({ id, event, data: JSON.stringify(data) });
    });
    if (isWhole) Object.assign(subscription, { snapshot: null, cursor: snapshot.since });
    return text.join("");
  }

  return { begin, next, isOver, hasEnded };
}

/** Drops the events after the one that closes the subscription. */
export function upToEnd(events: StoredEvent[], lastTurnId: string | null): StoredEvent[] {
  const end = events.findIndex((event) => isEndOf(event, lastTurnId));
  return end === -1 ? events : events.slice(0, end + 1);
}
