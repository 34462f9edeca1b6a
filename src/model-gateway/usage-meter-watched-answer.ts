// An answer that is watched on its way: its bytes go on as they came, and are read beside that.
import type { AnswerReader } from "./answer-reader.ts";

/**
 * Passes a body on. `onEnd` is called once, at its end, or when either side breaks off; the end of the body waits for it, so that whoever
 * has a whole answer knows that it was counted.
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

/** True for an answer that is a stream of events. */
export function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}
