// Writes the entries of a tar into blocks of memory, without a promise, a stream or a buffer for
// each entry, because a tree of many small files would spend most of its time on those.
import { type RawPath, toRawPath } from "./raw-path.ts";

/** What the headers of an entry contain. The size is added when the content is known. */
export interface EntryHeader {
  name: RawPath;
  type: "file" | "link" | "symlink" | "directory";
  mode: number;
  /** Whole seconds since 1970, as tar's own field can store them. */
  seconds: number;
  /** The target of a link; empty for other entries. */
  linkname: RawPath;
  /** Records for what does not fit in tar's own fields. */
  pax: readonly (readonly [name: string, value: string])[];
}

export const tarBlockBytes = 512;
const nameBytesMax = 100;
/** The largest size that fits in tar's own field. */
const sizeMax = 0o77777777777;
const types = { file: 0x30, link: 0x31, symlink: 0x32, directory: 0x35, pax: 0x78 };
const checksumAt = 148;
const permissions = 0o7777;

/** An entry's headers that wait for its size. */
export interface OpenHeader {
  /** The bytes of the headers, a multiple of tar's block. */
  bytes: number;
  /** Writes the headers into zeros. */
  write(block: Buffer, at: number, size: number): void;
}

/** Prepares the headers of an entry with at most `largest` bytes of content. */
export function createHeader(header: EntryHeader, largest: number): OpenHeader {
  const { name, linkname } = header;
  const isLarge = largest > sizeMax;
  const records = header.pax.map(formatRecord);
  if (name.length > nameBytesMax) records.push(formatRecord(["path", name]));
  if (linkname.length > nameBytesMax) records.push(formatRecord(["linkpath", linkname]));
  if (isLarge) records.push(formatRecord(["size", String(largest)]));
  const pax = records.join("");
  const paxBytes = pax === "" ? 0 : tarBlockBytes + toWholeBlocks(pax.length);
  return {
    bytes: paxBytes + tarBlockBytes,
    write(block, at, size) {
      if (paxBytes > 0) {
        writeHeader(block, at, { ...paxHeader, size: pax.length });
        block.write(pax, at + tarBlockBytes, "latin1");
      }
      const type = types[header.type];
      writeHeader(block, at + paxBytes, { ...header, type, size: isLarge ? 0 : size });
    },
  };
}

/** The next multiple of tar's block. */
export const toWholeBlocks = (bytes: number): number => Math.ceil(bytes / tarBlockBytes) * tarBlockBytes;

const paxHeader = { name: "PaxHeader", type: types.pax, mode: 0o644, seconds: 0, linkname: "" };

interface HeaderFields extends Pick<EntryHeader, "name" | "mode" | "seconds" | "linkname"> {
  type: number;
  size: number;
}

function writeHeader(block: Buffer, at: number, { name, type, mode, seconds, linkname, size }: HeaderFields): void {
  block.write(name.slice(0, nameBytesMax), at, "latin1");
  block.write(toOctal(mode & permissions, 7), at + 100, "latin1");
  block.write("0000000\x000000000", at + 108, "latin1");
  block.write(toOctal(size, 11), at + 124, "latin1");
  block.write(toOctal(seconds, 11), at + 136, "latin1");
  block.write("        ", at + checksumAt, "latin1");
  block[at + 156] = type;
  if (linkname !== "") block.write(linkname.slice(0, nameBytesMax), at + 157, "latin1");
  block.write("ustar\x0000", at + 257, "latin1");
  let sum = 0;
  for (let index = at; index < at + 265; index++) sum += block[index] ?? 0;
  block.write(`${toOctal(sum, 6)}\0 `, at + checksumAt, "latin1");
}

const toOctal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

/** A record begins with its own length, which includes the digits of the length. */
function formatRecord([name, value]: readonly [string, string]): string {
  const rest = ` ${name}=${value}\n`;
  let length = rest.length + String(rest.length).length;
  if (rest.length + String(length).length !== length) length += 1;
  return `${length}${rest}`;
}

/** The headers of a text entry that no file has. */
export const createTextHeader = (name: string, bytes: number): OpenHeader =>
  createHeader({ name: toRawPath(name), type: "file", mode: 0o644, seconds: 0, linkname: "", pax: [] }, bytes);
