// A reader that inspects the start of a body and can still forward the whole body.

export interface ByteReader {
  /** Returns the bytes between two offsets from the start; fewer if the body ends earlier. */
  slice(from: number, to: number): Promise<Uint8Array>;
  /** Returns the whole body, including what was read. The reader cannot be used afterwards. */
  whole(): ReadableStream<Uint8Array>;
  /** Reads and discards the rest, because a client that is still sending would not read the response. */
  drain(): Promise<void>;
}

/** Opens a reader on a body. It buffers everything up to the highest offset of `slice`, so callers have to limit the offsets. */
export function readBytes(body: ReadableStream<Uint8Array>): ByteReader {
  const reader = body.getReader();
  let held = new Uint8Array(4_096);
  let length = 0;
  let hasEnded = false;

  function hold(chunk: Uint8Array): void {
    if (length + chunk.length > held.length) {
      const larger = new Uint8Array(2 * (length + chunk.length));
      larger.set(held.subarray(0, length));
      held = larger;
    }
    held.set(chunk, length);
    length += chunk.length;
  }

  return {
    async slice(from, to) {
      while (length < to && !hasEnded) {
        const { value, done } = await reader.read();
        if (done) hasEnded = true;
        else hold(value);
      }
      return held.subarray(from, Math.min(to, length));
    },
    whole() {
      let isHeldSent = false;
      return new ReadableStream({
        async pull(controller) {
          if (!isHeldSent && length > 0) {
            isHeldSent = true;
            controller.enqueue(held.slice(0, length));
            return;
          }
          const { value, done } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      });
    },
    async drain() {
      while (!(await reader.read()).done) {}
    },
  };
}
