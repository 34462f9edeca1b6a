// Reading the beginning of a body piece by piece, and then passing the whole of it on as if nothing had been read.

export interface ByteReader {
  /** The bytes from one place to another, counted from the start; fewer when the body ends before. */
  slice(from: number, to: number): Promise<Uint8Array>;
  /** The whole body, what was read included. Nothing is read here any more. */
  whole(): ReadableStream<Uint8Array>;
  /** Reads the rest and throws it away, so that whoever sends it gets to hear the answer. */
  drain(): Promise<void>;
}

/** Reads a body. What is read is held in memory until the body is passed on, so callers bound it. */
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
