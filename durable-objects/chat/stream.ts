// Streams a conversation as a JSON array. It is read in pieces as the client consumes it, so that a long conversation needs little memory.
import { messageOnWire } from "../../src/resources/message.ts";
import type { Transcript } from "./transcript.ts";

const chunkCharacters = 128 * 1_024;

type Place = Parameters<typeof messageOnWire>[0];

/** Streams every message, oldest first. Blocks are sent as they are stored. `place` is the base of the attachments' URLs. */
export function messagesAsJson(transcript: Transcript, place: Place): ReadableStream<Uint8Array> {
  const pieces = jsonPieces(transcript, place);
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

function* jsonPieces({ parts }: Transcript, place: Place): Generator<string> {
  let before = "[";
  for (const part of parts()) {
    if ("block" in part) {
      yield before + part.block;
      before = ",";
      continue;
    }
    // Closes the previous message.
    if (before !== "[") yield "]},";
    const { blocks: _, ...rest } = messageOnWire(place, { ...part.message, blocks: [] });
    yield `${before === "[" ? "[" : ""}${JSON.stringify(rest).slice(0, -1)},"blocks":[`;
    before = "";
  }
  yield before === "[" ? "[" : "]}";
}
