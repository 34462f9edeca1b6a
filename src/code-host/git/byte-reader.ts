// A reader that inspects the start of a body and can still forward the whole body. The bytes that
// it buffers are counted in the memory of bodies.

import { type BodyMemory, createGrowingBytes, memoryIsFull } from "../../lib/byte-budget.ts";
import { createStreamError, tooSlow } from "../../lib/byte-stream.ts";
import { withTimeout } from "../../lib/timeout.ts";
import { pushInspectionBytes, pushInspectionMs } from "../../rules/limits.ts";

export interface ByteReader {
  /**
   * Returns the bytes between two offsets from the start; fewer if the body ends earlier. Throws an
   * error with a refusal if the body arrives too slowly or if there is no memory for it.
   */
  slice(from: number, to: number): Promise<Uint8Array>;
  /**
   * Returns the whole body, including the bytes that were read. The reader cannot be used
   * afterwards.
   */
  whole(): ReadableStream<Uint8Array>;
  /** Releases the buffered bytes. */
  drop(): void;
}

/**
 * Creates a reader of a body. It buffers everything up to the highest offset of `slice`, so callers
 * must limit the offsets.
 */
export function createByteReader(
  body: ReadableStream<Uint8Array>,
  memory: BodyMemory,
  mostBytes = pushInspectionBytes,
): ByteReader {
  const reader = body.getReader();
  const held = createGrowingBytes(mostBytes, memory);
  const endsAt = Date.now() + pushInspectionMs;
  let hasEnded = false;
  let isDropped = false;
  const drop = () => {
    isDropped = true;
    held.drop();
  };

  return {
    async slice(from, to) {
      while (held.bytes().length < to && !hasEnded) {
        const next = await withTimeout(reader.read(), endsAt - Date.now());
        if (next === "late") throw createStreamError(tooSlow);
        if (next.done) hasEnded = true;
        else if (!held.add(next.value)) throw createStreamError(memoryIsFull);
      }
      return held.bytes().subarray(from, to);
    },
    whole() {
      let isHeldSent = false;
      return new ReadableStream({
        async pull(controller) {
          const start = held.bytes();
          if (!isHeldSent) {
            if (isDropped) throw new Error("the start of the body is held no more");
            isHeldSent = true;
            if (start.length > 0) return controller.enqueue(start);
          }
          drop();
          const { value, done } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel(reason) {
          drop();
          await reader.cancel(reason);
        },
      });
    },
    drop,
  };
}
