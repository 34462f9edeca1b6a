// Limits on byte streams from outside. A stream that exceeds its limit is ended with a refusal.
import { bodyStallMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";
import { withTimeout } from "./timeout.ts";

/** An error that ends a stream and carries the refusal. */
export function createStreamError(refusal: Refusal): Error {
  return new Error(refusal.message, { cause: refusal });
}

/** The refusal that ended a stream; null for any other error. */
export function findStreamRefusal(error: unknown): Refusal | null {
  return error instanceof Error && isRefusal(error.cause) ? error.cause : null;
}

/** Yields bytes until `check` refuses their total number. */
export async function* withCheck(
  bytes: AsyncIterable<Uint8Array>,
  check: (passed: number) => Refusal | null,
): AsyncGenerator<Uint8Array, void> {
  let passed = 0;
  for await (const chunk of bytes) {
    passed += chunk.length;
    const refusal = check(passed);
    if (refusal) throw createStreamError(refusal);
    yield chunk;
  }
}

/** The timeouts for receiving a body. */
export interface BodyTimeouts {
  /** For the whole body. */
  wholeMs?: number;
  /** Between two bytes. */
  stallMs?: number;
}

/**
 * The bytes of a body. The body is not closed if it is not read to the end, because a client that
 * is still sending would not read the refusal. A body that arrives too slowly is ended.
 */
export async function* readBodyBytes(
  body: ReadableStream<Uint8Array>,
  { wholeMs = Number.POSITIVE_INFINITY, stallMs = bodyStallMs }: BodyTimeouts = {},
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const endsAt = Date.now() + wholeMs;
  try {
    for (;;) {
      const next = await withTimeout(reader.read(), Math.min(stallMs, endsAt - Date.now()));
      if (next === "late") {
        void reader.cancel(tooSlow.message).catch(() => undefined);
        throw createStreamError(tooSlow);
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    reader.releaseLock();
  }
}

/** The refusal of a body that arrives too slowly. */
export const tooSlow = refuse("BAD_REQUEST", "The body arrived too slowly. Send it again.");

/** Reads and discards the rest of a body, up to a limit. */
export async function discardRest(
  body: ReadableStream<Uint8Array>,
  mostBytes: number,
  timeouts: BodyTimeouts = {},
): Promise<void> {
  let passed = 0;
  try {
    for await (const chunk of readBodyBytes(body, timeouts)) {
      passed += chunk.length;
      if (passed > mostBytes) break;
    }
    await body.cancel();
  } catch {
    // The client has disconnected.
  }
}

export interface StartedStream {
  start: Uint8Array;
  /** The whole stream, including its first bytes. */
  all: AsyncIterable<Uint8Array>;
  /** Closes the stream if the rest is not read. */
  close(): Promise<void>;
}

/** Reads the first `length` bytes of a stream, or all of a shorter one. */
export async function withStart(bytes: AsyncIterable<Uint8Array>, length: number): Promise<StartedStream> {
  const source = bytes[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let read = 0;
  while (read < length) {
    const next = await source.next();
    if (next.done) break;
    pieces.push(next.value);
    read += next.value.length;
  }
  const start = new Uint8Array(Math.min(read, length));
  let filled = 0;
  for (const piece of pieces) {
    const part = piece.subarray(0, start.length - filled);
    start.set(part, filled);
    filled += part.length;
  }
  async function* all(): AsyncGenerator<Uint8Array, void> {
    yield* pieces;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  }
  return {
    start,
    all: all(),
    async close() {
      await source.return?.();
    },
  };
}
