// Reads the server's name in the first message of a TLS connection (RFC 8446, 4.1.2; RFC 6066, 3).

/**
 * The name; null if the message has none. `incomplete`: more bytes are needed. `invalid`: it is not
 * the first message of TLS.
 */
export type ServerName = { name: string | null } | "incomplete" | "invalid";

const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;
const hostNameType = 0;
const recordHeaderBytes = 5;
const helloHeaderBytes = 4;
const versionAndRandomBytes = 34;
/** A real one has a few kilobytes, in one record or two. */
const helloBytesMax = 16_384;
const recordsMax = 64;

class Truncated extends Error {}

/** Reads the name from the first bytes of a connection. */
export function readServerName(bytes: Buffer): ServerName {
  const message = readHandshake(bytes);
  if (message === null) return "invalid";
  if (message.length < helloHeaderBytes) return "incomplete";
  const length = message.readUIntBE(1, 3);
  if (message[0] !== clientHello || length > helloBytesMax) return "invalid";
  if (message.length < helloHeaderBytes + length) return "incomplete";
  try {
    return readHello(message.subarray(helloHeaderBytes, helloHeaderBytes + length));
  } catch (error) {
    if (error instanceof Truncated) return "invalid";
    throw error;
  }
}

/**
 * Joins the handshake's parts, which may come in several records. Null if one is of another type or
 * empty, or if there are too many: with empty records, no message would ever be complete.
 */
function readHandshake(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshakeRecord) return parts.length > 0 ? Buffer.concat(parts) : null;
    if (at + recordHeaderBytes > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || parts.length === recordsMax) return null;
    const end = at + recordHeaderBytes + length;
    parts.push(bytes.subarray(at + recordHeaderBytes, end));
    at = end;
  }
  return Buffer.concat(parts);
}

function readHello(hello: Buffer): ServerName {
  const fields = createReader(hello);
  fields.take(versionAndRandomBytes);
  fields.take(fields.size(1));
  fields.take(fields.size(2));
  fields.take(fields.size(1));
  if (fields.isAtEnd()) return { name: null };
  const extensions = createReader(fields.take(fields.size(2)));
  const names: string[] = [];
  while (!extensions.isAtEnd()) {
    const type = extensions.size(2);
    const content = extensions.take(extensions.size(2));
    if (type === serverNameExtension) names.push(readName(content));
  }
  // Which of two names a server takes is not defined.
  return names.length > 1 ? "invalid" : { name: names[0] ?? null };
}

function readName(content: Buffer): string {
  const fields = createReader(content);
  const list = createReader(fields.take(fields.size(2)));
  if (list.size(1) !== hostNameType) throw new Truncated();
  const name = list.take(list.size(2)).toString("latin1");
  if (!list.isAtEnd()) throw new Truncated();
  return name.toLowerCase();
}

function createReader(bytes: Buffer) {
  let at = 0;
  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new Truncated();
    at += length;
    return bytes.subarray(at - length, at);
  }
  return {
    take,
    /** A number of this many bytes. */
    size: (length: number) => take(length).readUIntBE(0, length),
    isAtEnd: () => at === bytes.length,
  };
}
