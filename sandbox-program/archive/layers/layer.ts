// The format of a layer: a header line of JSON, a compressed tar, and a SHA-256 of everything
// before it. The digest detects a layer that was truncated or changed.
import { createHash } from "node:crypto";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { createRefusal } from "../../http/refusal.ts";

/**
 * Incremented when this program could misread the layers of an earlier one, or the agent's
 * conversations in them.
 */
export const layerFormatVersion = 2;

/**
 * Incremented when an earlier program could not start a session from the bases of this one. It can
 * still restore saved work on them.
 */
export const baseFormatVersion = 2;

/** Identifies a base exactly. Work fits only the base that it names. */
export interface PrebuildName {
  id: string;
  digest: string;
}

export interface LayerHead {
  layer: "switchyard";
  formatVersion: number;
  kind: "work" | "base";
  /** The id of a base; null for work. */
  id: string | null;
  /** The base that completes the work; null if the work is complete by itself. */
  base: PrebuildName | null;
}

const headBytesMax = 4_096;
const digestBytes = 32;
export const blockBytes = 256 * 1_024;
/**
 * For work, speed matters more than size, because it is written at every pause. A base is written
 * once and read at every wake.
 */
const compressionLevels = { work: 1, base: 3 };

/** Writes a layer with this tar. Returns its digest. */
export async function writeLayer(head: LayerHead, tar: Iterable<Buffer>, output: Writable): Promise<string> {
  const hash = createHash("sha256");
  let digest = "";
  await pipeline(
    Readable.from(tar, { objectMode: false, highWaterMark: 2 * blockBytes }),
    createZstdCompress({
      chunkSize: blockBytes,
      params: { [constants.ZSTD_c_compressionLevel]: compressionLevels[head.kind] },
    }),
    async function* seal(compressed: AsyncIterable<Buffer>) {
      const line = Buffer.from(`${JSON.stringify(head)}\n`);
      hash.update(line);
      yield line;
      for await (const chunk of compressed) {
        hash.update(chunk);
        yield chunk;
      }
      const sum = hash.digest();
      digest = sum.toString("hex");
      yield sum;
    },
    output,
  );
  return digest;
}

export interface OpenLayer {
  head: LayerHead;
  /** Pipes the tar into `sink` and returns the layer's digest. Refuses a damaged layer. */
  read(sink: NodeJS.WritableStream): Promise<string>;
}

/** Opens a layer. Refuses one that this program cannot read, with the reason. */
export async function readLayer(input: AsyncIterable<Buffer>): Promise<OpenLayer> {
  const chunks = input[Symbol.asyncIterator]();
  const { line, rest } = await readLine(chunks);
  const head = parseHead(line.toString("utf8"));
  const hash = createHash("sha256").update(line);
  let digest = "";

  /** Yields everything but the digest at the end, which it verifies. */
  async function* unseal(): AsyncGenerator<Buffer> {
    let held = rest;
    for (;;) {
      const whole = Math.max(held.length - digestBytes, 0);
      if (whole > 0) {
        const content = held.subarray(0, whole);
        hash.update(content);
        yield content;
      }
      const next = await chunks.next();
      if (next.done) break;
      held = Buffer.concat([held.subarray(whole), next.value]);
    }
    digest = hash.digest("hex");
    if (held.subarray(-digestBytes).toString("hex") !== digest) throw broken;
  }

  return {
    head,
    async read(sink) {
      try {
        await pipeline(Readable.from(unseal()), createZstdDecompress({ chunkSize: blockBytes }), sink);
      } catch (error) {
        // An error of the system, such as a full disk, does not mean that the layer is damaged.
        throw isOfSystem(error) ? error : broken;
      }
      return digest;
    },
  };
}

const broken = createRefusal("ARCHIVE_UNREADABLE", "The archive is broken or incomplete.");
const foreign = createRefusal(
  "ARCHIVE_UNREADABLE",
  "It is not an archive of this sandbox program; one of an older version may have made it.",
);

const isOfSystem = (error: unknown) => error instanceof Error && "syscall" in error;

async function readLine(chunks: AsyncIterator<Buffer>): Promise<{ line: Buffer; rest: Buffer }> {
  let start = Buffer.alloc(0);
  for (;;) {
    const end = start.indexOf("\n");
    if (end >= 0 && end < headBytesMax) return { line: start.subarray(0, end + 1), rest: start.subarray(end + 1) };
    if (start.length >= headBytesMax) throw foreign;
    const next = await chunks.next();
    if (next.done) throw start.length === 0 ? broken : foreign;
    start = Buffer.concat([start, next.value]);
  }
}

function parseHead(line: string): LayerHead {
  let head: LayerHead;
  try {
    head = JSON.parse(line);
  } catch {
    throw foreign;
  }
  if (head?.layer !== "switchyard") throw foreign;
  if (head.formatVersion === layerFormatVersion) return head;
  throw createRefusal(
    "ARCHIVE_UNREADABLE",
    `The archive has format version ${head.formatVersion}; this version of the sandbox program reads only version ${layerFormatVersion}.`,
  );
}
