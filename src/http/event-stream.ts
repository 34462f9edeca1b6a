// An event stream on its way out: what an object tells over a WebSocket becomes server-sent events. The stream takes batches as its client
// takes them; one that falls too far behind what happens is cut off, and goes on later from the last event it saw.

import { liveFrame, moreFrame } from "../resources/live-event.ts";

/** Keeps proxies from giving the connection up, and shows within that time that the client is gone, or may read no longer. */
const heartbeatMs = 15_000;
/** A stream ends after this, so that its client comes back and shows that it still may read. */
const longestMs = 60 * 60_000;
/** How soon a client that was cut off comes back. */
const retryMs = 1_000;
const readAheadBytes = 64 * 2 ** 10;
const backlogBytes = 2 ** 20;

/**
 * Opens the stream over a socket of an object. It ends when the object closes the socket, when the client goes away, or with a heartbeat
 * that finds that the client may read no longer.
 */
export function eventStream(socket: WebSocket, mayStillRead: () => Promise<boolean>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isLive = false;
  let batch = Promise.withResolvers<void>();
  let stop = () => {};

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        const hasRoom = () => (controller.desiredSize ?? 0) > -backlogBytes;
        const heartbeat = setInterval(async () => {
          if (hasRoom()) send(":\n\n");
          // What cannot be told now is asked again with the next one.
          if (!(await mayStillRead().catch(() => true))) end();
        }, heartbeatMs);
        const longest = setTimeout(() => end(), longestMs);
        let isOver = false;
        stop = () => {
          if (isOver) return;
          isOver = true;
          clearInterval(heartbeat);
          clearTimeout(longest);
          batch.resolve();
          socket.close(1000);
        };
        const end = () => {
          if (isOver) return;
          stop();
          controller.close();
        };
        socket.addEventListener("message", ({ data }) => {
          if (isOver) return;
          if (data === liveFrame) isLive = true;
          else send(String(data));
          batch.resolve();
          if (isLive && !hasRoom()) end();
        });
        socket.addEventListener("close", end);
        socket.addEventListener("error", end);
        socket.accept();
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
