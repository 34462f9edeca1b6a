// The opening of a streamed answer, held back until it shows whether the provider takes the call.
import { serviceResponseBytes } from "../rules/limits.ts";
import { type Opening, openingOf } from "./rules/stream-event.ts";

/** No agent waits longer for events that may turn out to be an error. */
const holdMs = 1_000;

type Read = ReadableStreamReadResult<Uint8Array>;

/**
 * Reads a stream up to its first content, an error, or the end of the hold. `body` continues from
 * the first byte.
 */
export async function holdOpening(
  body: ReadableStream<Uint8Array>,
): Promise<{ opening: Opening; body: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const held: Uint8Array[] = [];
  const { promise: holdOver, resolve: endHold } = Promise.withResolvers<null>();
  const timer = setTimeout(() => endHold(null), holdMs);
  /** A read that is under way. */
  let pending: Promise<Read> | null = null;
  let opening: Opening = { type: "open" };
  let text = "";
  // An opening repeats the instructions of its call. What is longer is forwarded unseen.
  let left = serviceResponseBytes;
  while (opening.type === "open" && left > 0) {
    pending ??= reader.read();
    const read: Read | null = await Promise.race([pending, holdOver]);
    if (read === null) break;
    pending = null;
    if (read.done) break;
    held.push(read.value);
    left -= read.value.length;
    text += decoder.decode(read.value, { stream: true });
    opening = openingOf(text);
  }
  clearTimeout(timer);
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = held.shift();
      if (chunk) return controller.enqueue(chunk);
      const { done, value } = await (pending ?? reader.read());
      pending = null;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { opening, body: whole };
}
