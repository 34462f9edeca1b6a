// A conversation on its way out: a JSON array, written a piece at a time as the reader takes it, so that its length costs no memory.
import { messageOnWire } from "../../src/resources/message.ts";
import type { Transcript } from "./transcript.ts";

const chunkCharacters = 128 * 1_024;

type Place = Parameters<typeof messageOnWire>[0];

/** Streams every message, oldest first; its blocks go out as they are kept. `place` is where the attachments are read. */
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
    // The message before ends where this one begins.
    if (before !== "[") yield "]},";
    const { blocks: _, ...rest } = messageOnWire(place, { ...part.message, blocks: [] });
    yield `${before === "[" ? "[" : ""}${JSON.stringify(rest).slice(0, -1)},"blocks":[`;
    before = "";
  }
  yield before === "[" ? "[" : "]}";
}
