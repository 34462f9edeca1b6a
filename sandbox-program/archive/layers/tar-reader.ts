// Reads the tar of a layer as it streams in, without a promise or a stream for each entry, because
// a tree of many small files would spend most of its time on those.
import type { RawPath } from "./raw-path.ts";

export interface TarHeader {
  name: RawPath;
  type: "file" | "link" | "symlink" | "directory" | "other";
  mode: number;
  /** Seconds. */
  mtime: string;
  size: number;
  /** The target of a link. */
  linkname: RawPath;
  /** The records of the entry's pax header. Their values have one character for each byte. */
  pax: ReadonlyMap<string, string>;
}

/** Takes the content of an entry in pieces, which are valid only during the call. */
export interface EntrySink {
  write(piece: Buffer): void;
  end(): void;
}

export interface TarReader {
  push(chunk: Buffer): void;
  /** Throws if the tar has ended within an entry. */
  end(): void;
}

const blockBytes = 512;
const types: Record<string, TarHeader["type"]> = {
  "\0": "file",
  "0": "file",
  "1": "link",
  "2": "symlink",
  "5": "directory",
};
const paxType = "x";
/** No record of a layer comes near this length. */
const paxBytesMax = 1_024 * 1_024;

/** Reads a tar. `open` is called for each entry, in order, and returns the sink for its content. */
export function readTar(open: (header: TarHeader) => EntrySink): TarReader {
  let held: Buffer = Buffer.alloc(0);
  let pax: Map<string, string> = new Map();
  let sink: EntrySink | null = null;
  /** Remaining bytes of content, and of the padding after it. */
  let content = 0;
  let padding = 0;

  function begin(block: Buffer): void {
    if (block[0] === 0 && block.every((byte) => byte === 0)) return;
    const type = String.fromCharCode(block[156] ?? 0);
    const size = Number(pax.get("size") ?? readNumber(block, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) throw new Error("a tar header without a size");
    content = size;
    padding = (blockBytes - (size % blockBytes)) % blockBytes;
    if (type === paxType) {
      if (size > paxBytesMax) throw new Error("a pax header of this size");
      sink = paxSink();
      return;
    }
    const prefix = readText(block, 257, 5) === "ustar" ? readText(block, 345, 155) : "";
    const name = readText(block, 0, 100);
    const records = pax;
    pax = new Map();
    sink = open({
      name: records.get("path") ?? (prefix === "" ? name : `${prefix}/${name}`),
      type: types[type] ?? "other",
      mode: readNumber(block, 100, 8),
      mtime: records.get("mtime") ?? String(readNumber(block, 136, 12)),
      size,
      linkname: records.get("linkpath") ?? readText(block, 157, 100),
      pax: records,
    });
  }

  function paxSink(): EntrySink {
    const pieces: Buffer[] = [];
    return {
      write: (piece) => void pieces.push(Buffer.from(piece)),
      end() {
        pax = parseRecords(Buffer.concat(pieces).toString("latin1"));
      },
    };
  }

  /**
   * Consumes what it can from a position. Returns the next position, or the same one if more input
   * is needed.
   */
  function step(chunk: Buffer, at: number): number {
    const left = chunk.length - at;
    if (sink !== null && content > 0) {
      const taken = Math.min(content, left);
      if (taken > 0) sink.write(chunk.subarray(at, at + taken));
      content -= taken;
      if (content === 0) finish();
      return at + taken;
    }
    if (padding > 0) {
      const skipped = Math.min(padding, left);
      padding -= skipped;
      return at + skipped;
    }
    if (left < blockBytes) return at;
    begin(chunk.subarray(at, at + blockBytes));
    if (content === 0) finish();
    return at + blockBytes;
  }

  function finish(): void {
    const ended = sink;
    sink = null;
    ended?.end();
  }

  return {
    push(piece) {
      const chunk = held.length === 0 ? piece : Buffer.concat([held, piece]);
      let at = 0;
      for (let next = step(chunk, at); next !== at; next = step(chunk, at)) at = next;
      held = at === chunk.length ? Buffer.alloc(0) : Buffer.from(chunk.subarray(at));
    },
    end() {
      if (sink !== null || padding > 0 || held.length > 0) throw new Error("a tar that ends within an entry");
    },
  };
}

function readText(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString("latin1", at, end < 0 ? at + length : Math.min(end, at + length));
}

/** A number in octal digits, or in binary if it is too large for those. */
function readNumber(block: Buffer, at: number, length: number): number {
  const first = block[at] ?? 0;
  if ((first & 0x80) === 0) return Number.parseInt(readText(block, at, length).trim() || "0", 8);
  let value = first & 0x7f;
  for (let index = at + 1; index < at + length; index++) value = value * 256 + (block[index] ?? 0);
  return value;
}

/** The records of a pax header: each is its own length, a name and a value. */
function parseRecords(text: string): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const name = text.indexOf(" ", at) + 1;
    const end = at + Number.parseInt(text.slice(at, name), 10);
    const value = text.indexOf("=", name) + 1;
    const isWhole = name > 0 && value > 0 && value < end && text[end - 1] === "\n";
    if (!isWhole) throw new Error("a broken pax header");
    records.set(text.slice(name, value - 1), text.slice(value, end - 1));
    at = end;
  }
  return records;
}
