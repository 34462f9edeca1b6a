// A conversation on its way out: a JSON array, written a page at a time as the reader takes it, so that its length costs no memory.
import type { Conversation, Message } from "./conversation.ts";

/** Streams every message, oldest first, in the form that `toWire` gives it. */
export function messagesAsJson(
  conversation: Conversation,
  toWire: (message: Message) => unknown,
): ReadableStream<Uint8Array> {
  const pages = conversation.pages();
  const encoder = new TextEncoder();
  let isFirst = true;
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      const { value: page, done } = pages.next();
      if (done) {
        controller.enqueue(encoder.encode(isFirst ? "[]" : "]"));
        controller.close();
        return;
      }
      const items = page.map((message) => JSON.stringify(toWire(message))).join(",");
      controller.enqueue(encoder.encode((isFirst ? "[" : ",") + items));
      isFirst = false;
    },
  });
}
