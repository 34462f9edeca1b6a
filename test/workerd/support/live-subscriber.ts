// Subscribes to an object's live events as the Worker does: it requests batch after batch until it
// is live.
import type { SubscribeRequest } from "../../../durable-objects/chat/rpc.ts";
import { liveFrame, moreFrame } from "../../../src/chat/wire/live-event.ts";

export interface ReceivedEvent {
  id: string;
  event: string;
  // Tests read events as a client in a loosely typed language would.
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an event is what a test checks
  data: any;
}

interface Follower {
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** Opens a subscription. It requests nothing before `more`. */
export async function openSubscriber(
  session: Follower,
  turnId: string | null = null,
  lastEventId: string | null = null,
  untilTurnId: string | null = null,
  isPerson = false,
  wantsSnapshot = false,
  followerId: string | null = null,
) {
  const subscription: SubscribeRequest = { turnId, untilTurnId, lastEventId, isPerson, wantsSnapshot, followerId };
  const headers = { upgrade: "websocket", "x-live-subscription": JSON.stringify(subscription) };
  const { webSocket, status } = await session.fetch("http://session/events", { headers });
  const events: ReceivedEvent[] = [];
  let frames = 0;
  let largestFrame = 0;
  let isLive = false;
  let isClosed = webSocket === null;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  webSocket?.addEventListener("message", ({ data }) => {
    const text = String(data);
    if (text === liveFrame) isLive = true;
    else events.push(...parseEvents(text));
    frames += 1;
    largestFrame = Math.max(largestFrame, text.length);
    change();
  });
  webSocket?.addEventListener("close", () => {
    isClosed = true;
    change();
  });
  webSocket?.accept();

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await changed.promise;
  }

  const subscriber = {
    status,
    events,
    isClosed: () => isClosed,
    largestFrame: () => largestFrame,
    names: () => events.map(({ event }) => event),
    /** Requests the next batch and waits for it. */
    async more(): Promise<void> {
      const before = frames;
      webSocket?.send(moreFrame);
      await until(() => frames > before || isClosed);
    },
    /** Takes everything available; after that it receives events as they happen. */
    async catchUp() {
      while (!isLive && !isClosed) await subscriber.more();
      return subscriber;
    },
    async received(event: string): Promise<void> {
      let seen = 0;
      await until(() => {
        const isThere = events.slice(seen).some((one) => one.event === event);
        seen = events.length;
        return isThere;
      });
    },
    heardAll: (count: number) => until(() => events.length >= count),
    /** Waits for an event that is like this. */
    heard: (isSo: (event: ReceivedEvent) => boolean) => until(() => events.some(isSo)),
    closed: () => until(() => isClosed),
    leave: () => webSocket?.close(1000),
  };
  return subscriber;
}

/** The events in a piece of a stream. */
function parseEvents(text: string): ReceivedEvent[] {
  return text
    .split("\n\n")
    .filter((part) => part !== "")
    .map((part) => {
      const fields = part.split("\n").map((line) => line.split(/: (.*)/s, 2));
      const { id = "", event = "", data = "" } = Object.fromEntries(fields);
      return { id, event, data: JSON.parse(data) };
    });
}
