// Streams of bytes that come from outside: held to a limit, and broken off with a refusal when they pass it.
import { bodyStallMs } from "../rules/limits.ts";
import { isRefusal, type Refusal, refuse } from "../rules/refusal.ts";

/** An error that breaks a stream off, so that whoever reads it stops, and carries why. */
export function breakOff(refusal: Refusal): Error {
  return new Error(refusal.message, { cause: refusal });
}

/** The refusal that broke a stream off; null for any other error. */
export function refusalBehind(error: unknown): Refusal | null {
  return error instanceof Error && isRefusal(error.cause) ? error.cause : null;
}

/** Passes bytes on until `check`, which is told how many came, refuses. */
export async function* checked(
  bytes: AsyncIterable<Uint8Array>,
  check: (passed: number) => Refusal | null,
): AsyncGenerator<Uint8Array, void> {
  let passed = 0;
  for await (const chunk of bytes) {
    passed += chunk.length;
    const refusal = check(passed);
    if (refusal) throw breakOff(refusal);
    yield chunk;
  }
}

/** How long the sender of a body may take. */
export interface Patience {
  /** For all of it. */
  wholeMs?: number;
  /** Between two bytes. */
  stallMs?: number;
}

/**
 * The bytes of a body, which stays open when they are left unread: a client that is still sending would not see why it is refused. A
 * body that comes too slowly is broken off.
 */
export async function* bytesOf(
  body: ReadableStream<Uint8Array>,
  { wholeMs = Number.POSITIVE_INFINITY, stallMs = bodyStallMs }: Patience = {},
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  const endsAt = Date.now() + wholeMs;
  try {
    for (;;) {
      const next = await within(reader.read(), Math.min(stallMs, endsAt - Date.now()));
      if (next === "late") {
        void reader.cancel(tooSlow.message).catch(() => undefined);
        throw breakOff(tooSlow);
      }
      if (next.done) return;
      yield next.value;
    }
  } finally {
    reader.releaseLock();
  }
}

const tooSlow = refuse("BAD_REQUEST", "The body came too slowly. Send it again.");

async function within<Value>(promise: Promise<Value>, waitMs: number): Promise<Value | "late"> {
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), Math.max(0, waitMs));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads what is left of a body without keeping it, up to a limit. */
export async function readOn(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<void> {
  let passed = 0;
  try {
    for await (const chunk of bytesOf(body)) {
      passed += chunk.length;
      if (passed > mostBytes) break;
    }
    await body.cancel();
  } catch {
    // Its sender went away.
  }
}

export interface BegunStream {
  start: Uint8Array;
  /** The stream from its beginning. */
  all: AsyncIterable<Uint8Array>;
  /** Gives the stream up, for whoever does not read on. */
  leave(): Promise<void>;
}

/** Looks at the first bytes of a stream, as many as are asked for if it has them. */
export async function withStart(bytes: AsyncIterable<Uint8Array>, length: number): Promise<BegunStream> {
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
    async leave() {
      await source.return?.();
    },
  };
}
