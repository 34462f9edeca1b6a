// Turns an object's WebSocket messages into server-sent events. The stream requests a batch when
// the client has consumed the last one. A client that reads too slowly is disconnected, and resumes
// from its last event.

import * as z from "zod";
import { isWithoutId, liveFrame, moreFrame } from "../chat/wire/live-event.ts";
import { flag } from "./query.ts";

/**
 * The heartbeat keeps proxies from closing the connection, and detects within this time that the
 * client is gone.
 */
const heartbeatMs = 15_000;
/** A stream ends after this time, so that its client reconnects and is authenticated again. */
const longestMs = 60 * 60_000;
/** The time after which a disconnected client reconnects. */
const retryMs = 1_000;
const readAheadBytes = 64 * 2 ** 10;
const backlogBytes = 2 ** 20;

/** The authorization of a stream's reader. */
export interface ReaderAuthorization {
  /** True while the reader is still authorized. */
  isStillAuthorized(): Promise<boolean>;
  /** The interval of that check; the heartbeat's interval by default. */
  checkEveryMs?: number | undefined;
  /** When the reader's key expires; never if null or omitted. */
  expiresAt?: number | null;
  /** A socket that closes when the reader loses access; null if nothing reports that. */
  watch?: WebSocket | null;
}

/**
 * Creates the stream over a socket of an object. It ends when the object closes the socket, when
 * the client disconnects, or when the client loses authorization. The loss takes effect immediately
 * if it is reported or known in advance, otherwise at the next check.
 */
export function createEventStream(
  socket: WebSocket,
  { isStillAuthorized, checkEveryMs = heartbeatMs, expiresAt = null, watch = null }: ReaderAuthorization,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLive = false;
  let batch = Promise.withResolvers<void>();
  let stop = () => {};

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const hasRoom = () => (controller.desiredSize ?? 0) > -backlogBytes;
        // A slow client does without such events before it is disconnected.
        const isDropped = (text: string) => isWithoutId(text) && (controller.desiredSize ?? 0) < 0;
        const heartbeat = setInterval(() => hasRoom() && send(":\n\n"), heartbeatMs);
        // If the check fails, the next one repeats it.
        const check = setInterval(async () => {
          if (!(await isStillAuthorized().catch(() => true))) end();
        }, checkEveryMs);
        const untilExpiryMs = expiresAt === null ? longestMs : expiresAt - Date.now();
        const longest = setTimeout(() => end(), Math.min(longestMs, untilExpiryMs));
        let isOver = false;
        stop = () => {
          if (isOver) return;
          isOver = true;
          clearInterval(heartbeat);
          clearInterval(check);
          clearTimeout(longest);
          batch.resolve();
          socket.close(1000);
          watch?.close(1000);
        };
        const end = () => {
          if (isOver) return;
          stop();
          controller.close();
        };
        socket.addEventListener("message", ({ data }) => {
          if (isOver) return;
          if (data === liveFrame) isLive = true;
          else if (!isDropped(String(data))) send(String(data));
          batch.resolve();
          if (isLive && !hasRoom()) end();
        });
        for (const ending of watch ? [socket, watch] : [socket]) {
          ending.addEventListener("close", end);
          ending.addEventListener("error", end);
          ending.accept();
        }
        send(`retry: ${retryMs}\n\n`);
      },
      async pull() {
        if (isLive) return;
        batch = Promise.withResolvers();
        socket.send(moreFrame);
        await batch.promise;
      },
      cancel: () => stop(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes }),
  );
}

/** The id of the last event that a client of an event stream has. */
export const lastEventIdQuery = z.strictObject({
  lastEventId: z.string().optional().meta({ description: "As the header `Last-Event-ID`." }),
});

export const chatEventsQuery = lastEventIdQuery.extend({
  snapshot: flag().describe("With `true`, the newest turn comes first in whole blocks, after `reset`."),
});

/** Null for a client that has none. */
export function findLastEventId(request: Request, { lastEventId }: z.infer<typeof lastEventIdQuery>): string | null {
  return request.headers.get("last-event-id") || lastEventId || null;
}
