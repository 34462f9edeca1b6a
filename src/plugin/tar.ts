// Reads a tar archive from a code host as a stream, file by file. Anything unusual is an error, so
// that nothing is guessed. Our own archives are read with modern-tar, which is unfit for untrusted
// ones: it reads an entry of an unknown type as a file, and holds a header of names in memory,
// however long it is.

export interface TarEntry {
  /** Without the archive's own top folder. */
  path: string;
  type: "file" | "folder" | "other";
  size: number;
  isExecutable: boolean;
  /** Reads the content. Unread content is skipped. */
  read(): Promise<Uint8Array>;
}

const blockBytes = 512;
/** The size limit of an extended header, which only contains names. */
const extendedBytesMax = 64 * 1_024;

/** The entries of an archive. Each must be used before the next is requested. */
export async function* readTarEntries(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = blockReader(bytes);
  let longPath: string | null = null;
  for (;;) {
    const header = await reader.take(blockBytes);
    if (header === null || header.every((byte) => byte === 0)) return;
    checkSum(header);
    const size = readNumber(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x" || type === "g" || type === "L") {
      if (size > extendedBytesMax) throw new ArchiveRefused("its archive has a header that is too long");
      const text = new TextDecoder().decode((await reader.take(padded(size)))?.subarray(0, size));
      if (type === "x") longPath = pathInExtended(text) ?? longPath;
      if (type === "L") longPath = text.replace(/\0.*$/s, "");
      continue;
    }
    const path = withoutTop(longPath ?? readName(header));
    longPath = null;
    let isRead = false;
    yield {
      path,
      type: type === "0" || type === "\0" ? "file" : type === "5" ? "folder" : "other",
      size,
      isExecutable: (readNumber(header, 100, 8) & 0o100) !== 0,
      async read() {
        isRead = true;
        const content = await reader.take(padded(size));
        if (content === null) throw new ArchiveRefused("its archive ends early");
        return content.slice(0, size);
      },
    };
    if (!isRead) await reader.skip(padded(size));
  }
}

const padded = (size: number) => Math.ceil(size / blockBytes) * blockBytes;

function readName(header: Uint8Array): string {
  const [name, prefix] = [readText(header, 0, 100), readText(header, 345, 155)];
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** The path below the top folder. Throws for a path outside it. */
function withoutTop(path: string): string {
  const parts = path.replace(/\/$/, "").split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..") || /[\\\p{Cc}]/u.test(path))
    throw new ArchiveRefused("its archive has a path that leads out of it");
  return parts.slice(1).join("/");
}

/** The path of an extended header, whose lines are `<length> <name>=<value>`. */
function pathInExtended(text: string): string | null {
  for (const line of text.split("\n")) {
    const [, path] = /^\d+ path=(.*)$/s.exec(line) ?? [];
    if (path !== undefined) return path;
  }
  return null;
}

function checkSum(header: Uint8Array): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== readNumber(header, 148, 8)) throw new ArchiveRefused("its archive is none");
}

function readText(header: Uint8Array, at: number, length: number): string {
  return new TextDecoder().decode(header.subarray(at, at + length)).replace(/\0.*$/s, "");
}

function readNumber(header: Uint8Array, at: number, length: number): number {
  const text = readText(header, at, length).trim();
  if (!/^[0-7]*$/.test(text)) throw new ArchiveRefused("its archive has a number that is none");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

interface BlockReader {
  /** The next bytes; null at the end. */
  take(length: number): Promise<Uint8Array | null>;
  skip(length: number): Promise<void>;
}

function blockReader(source: AsyncIterable<Uint8Array>): BlockReader {
  const chunks = source[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array(0);

  async function next(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done) return false;
    held = held.length === 0 ? value : joined(held, value);
    return true;
  }

  return {
    async take(length) {
      if (length === 0) return new Uint8Array(0);
      const parts: Uint8Array[] = [];
      let missing = length;
      while (missing > 0) {
        if (held.length === 0 && !(await next())) return null;
        const part = held.subarray(0, missing);
        held = held.subarray(part.length);
        missing -= part.length;
        parts.push(part);
      }
      const [only] = parts;
      return parts.length === 1 && only ? only : joined(...parts);
    },
    async skip(length) {
      let left = length;
      while (left > 0) {
        if (held.length === 0 && !(await next())) return;
        const passed = Math.min(left, held.length);
        held = held.subarray(passed);
        left -= passed;
      }
    },
  };
}

function joined(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * The refusal of a repository that cannot be read. The cause is the repository, not the service, so
 * a retry does not help.
 */
export class ArchiveRefused extends Error {}
