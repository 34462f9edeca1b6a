// A response that is read while it is forwarded unchanged.
import type { AnswerReader } from "./answer-reader.ts";

/**
 * Forwards a body. `onEnd` is called once, at the end or when either side disconnects. The end of
 * the body waits for it, so that a client that has the whole response knows that it was counted.
 */
export function watchAnswer(
  body: ReadableStream<Uint8Array>,
  reader: Pick<AnswerReader, "read" | "end">,
  onEnd: () => Promise<void>,
): ReadableStream<Uint8Array> {
  const source = body.getReader();
  let ended: Promise<void> | null = null;
  const end = () => {
    if (ended === null) {
      reader.end();
      ended = onEnd();
    }
    return ended;
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await source.read();
        if (!done) {
          controller.enqueue(value);
          reader.read(value);
          return;
        }
      } catch (error) {
        await end();
        throw error;
      }
      await end();
      controller.close();
    },
    async cancel(reason) {
      await Promise.all([end(), source.cancel(reason)]);
    },
  });
}

/** True for a response that is a stream of events. */
export function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
