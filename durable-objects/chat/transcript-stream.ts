// Streams a conversation as a JSON array. It is read in pieces as the client consumes it, so that a long conversation needs little memory.
import type { Message } from "../../src/chat/rules/message.ts";
import type { Transcript } from "./transcript.ts";

const chunkCharacters = 128 * 1_024;

/** The wire format of a message. */
type OnWire = (message: Message) => { blocks: unknown[] };

/** Streams the messages behind a place, oldest first; every message by default. Blocks are sent as they are stored. */
export function messagesAsJson(transcript: Transcript, onWire: OnWire, afterSeq = 0): ReadableStream<Uint8Array> {
  const pieces = jsonPieces(transcript, onWire, afterSeq);
  const encoder = new TextEncoder();
  return new ReadableStream({
    type: "bytes",
    pull(controller) {
      let chunk = "";
      while (chunk.length < chunkCharacters) {
        const { value: piece, done } = pieces.next();
        if (done) {
          controller.enqueue(encoder.encode(`${chunk}]`));
          controller.close();
          return;
        }
        chunk += piece;
      }
      controller.enqueue(encoder.encode(chunk));
    },
  });
}

function* jsonPieces({ parts }: Transcript, onWire: OnWire, afterSeq: number): Generator<string> {
  let before = "[";
  for (const part of parts(afterSeq)) {
    if ("block" in part) {
      yield before + part.block;
      before = ",";
      continue;
    }
    // Closes the previous message.
    if (before !== "[") yield "]},";
    const { blocks: _, ...rest } = onWire({ ...part.message, blocks: [] });
    yield `${before === "[" ? "[" : ""}${JSON.stringify(rest).slice(0, -1)},"blocks":[`;
    before = "";
  }
  yield before === "[" ? "[" : "]}";
}
