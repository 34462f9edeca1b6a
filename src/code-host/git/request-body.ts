// The decompressed body of a git request. A few kilobytes can decompress to gigabytes, so it is
// decompressed in small pieces, and only as it is read.
import { discardRest } from "../../lib/byte-stream.ts";
import { withTimeout } from "../../lib/timeout.ts";
import { drainedBytes, drainedPlainBytes, drainMs } from "../../rules/limits.ts";

export interface GitBody {
  /** The bytes as git wrote them. */
  bytes: ReadableStream<Uint8Array>;
  /**
   * Drains the rest without decompressing it, up to a limit, because a client that is still sending
   * would not read the response. Callers use it instead of reading `bytes` to the end.
   */
  discardRest(): Promise<void>;
}

/** A piece decompresses to at most a thousand times its length. */
const pieceBytes = 2_048;

/** Creates the body of a request. Null for an encoding that git does not use. */
export function createGitBody({ headers, body }: Pick<Request, "headers" | "body">): GitBody | null {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const isCompressed = encoding === "gzip" || encoding === "x-gzip";
  if (!isCompressed && encoding !== "identity") return null;
  if (body === null) return { bytes: new Blob([]).stream(), discardRest: async () => {} };
  const reader = body.getReader();
  let reading: Promise<unknown> = Promise.resolve();
  let isDiscarded = false;
  /** The next bytes as they were sent; null at their end. */
  async function next(): Promise<Uint8Array | null> {
    if (isDiscarded) return null;
    const read = reader.read();
    reading = read.catch(() => {});
    const { done, value } = await read;
    return done || isDiscarded ? null : value;
  }
  return {
    bytes: isCompressed ? inflated(next) : toStream(next),
    async discardRest() {
      isDiscarded = true;
      // Two concurrent reads are an error.
      if ((await withTimeout(reading, drainMs)) === "late") return await reader.cancel();
      reader.releaseLock();
      await discardRest(body, isCompressed ? drainedBytes : drainedPlainBytes, { wholeMs: drainMs });
    },
  };
}

function toStream(next: () => Promise<Uint8Array | null>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = await next();
        if (bytes === null) controller.close();
        else controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The decompressed bytes. The next piece is decompressed only when no output is left, because the
 * stream itself would accept all input.
 */
function inflated(next: () => Promise<Uint8Array | null>): ReadableStream<Uint8Array> {
  const { readable, writable } = new DecompressionStream("gzip");
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let unread: Uint8Array = new Uint8Array(0);
  return toStream(async () => {
    const out = reader.read();
    let isThere = false;
    const settle = () => {
      isThere = true;
    };
    out.then(settle, settle);
    while (!isThere) {
      if (unread.length === 0) {
        const bytes = await next();
        if (bytes === null) {
          // An invalid end is reported by the reader.
          writer.close().catch(() => {});
          break;
        }
        unread = bytes;
      }
      const piece = unread.subarray(0, pieceBytes);
      unread = unread.subarray(piece.length);
      await Promise.race([writer.write(piece).catch(() => {}), out.catch(() => {})]);
    }
    const { done, value } = await out;
    return done ? null : value;
  });
}
