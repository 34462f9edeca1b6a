// The server's end of a WebSocket (RFC 6455), without extensions. Its only peer is the service,
// which has shown the sandbox's secret.
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

export interface ServerSocket {
  sendText(text: string): void;
  sendBytes(bytes: Buffer): void;
  /** Sends a close frame, and closes the connection. */
  close(code: number): void;
}

export interface SocketListener {
  onText(text: string): void;
  onBytes(bytes: Buffer): void;
  /** The connection is closed, by either side. Called once. */
  onClose(): void;
}

interface Frame {
  isLast: boolean;
  opcode: number;
  payload: Buffer;
  /** The length of the whole frame. */
  length: number;
}

const opcodes = { continuation: 0x0, text: 0x1, bytes: 0x2, close: 0x8, ping: 0x9, pong: 0xa };
/** More than the first frame of a terminal, which has the variables of a project. */
const messageBytesMax = 16 * 1_024 * 1_024;
const protocolError = 1002;
/** A peer that does not close its end for so long is gone. */
const closingMs = 2_000;
const tooLarge = 1009;
const keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Receives a handshake. Null for a request that is none. */
export function receiveWebSocket(
  { headers }: IncomingMessage,
  connection: Duplex,
  head: Buffer,
  answerHeaders: Record<string, string>,
  listen: (socket: ServerSocket) => SocketListener,
): ServerSocket | null {
  const key = headers["sec-websocket-key"];
  if (headers.upgrade?.toLowerCase() !== "websocket" || key === undefined) return null;
  const accept = createHash("sha1")
    .update(key + keySuffix)
    .digest("base64");
  const lines = Object.entries({
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Accept": accept,
    ...answerHeaders,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
  return openSocket(connection, head, listen);
}

function openSocket(connection: Duplex, head: Buffer, listen: (socket: ServerSocket) => SocketListener): ServerSocket {
  let unread: Buffer = Buffer.alloc(0);
  let message: { opcode: number; parts: Buffer[]; bytes: number } | null = null;
  let isOver = false;

  const write = (opcode: number, payload: Buffer) => {
    if (!isOver && !connection.destroyed) connection.write(Buffer.concat([toHeader(opcode, payload.length), payload]));
  };

  function close(code: number): void {
    if (isOver) return;
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    write(opcodes.close, payload);
    isOver = true;
    connection.end();
    // The peer's remaining frames are read and ignored, so that its connection can close.
    connection.resume();
    // Without this, a peer that is gone would keep the connection, and what ends with it.
    setTimeout(() => connection.destroy(), closingMs).unref();
  }

  function take({ isLast, opcode, payload }: Frame): void {
    if (opcode === opcodes.close) {
      close(payload.length < 2 ? 1000 : payload.readUInt16BE(0));
      return;
    }
    if (opcode === opcodes.ping) {
      write(opcodes.pong, payload);
      return;
    }
    if (opcode === opcodes.pong) return;
    if ((opcode === opcodes.continuation) === (message === null)) {
      close(protocolError);
      return;
    }
    message ??= { opcode, parts: [], bytes: 0 };
    message.parts.push(payload);
    message.bytes += payload.length;
    if (message.bytes > messageBytesMax) {
      close(tooLarge);
      return;
    }
    if (!isLast) return;
    const whole = Buffer.concat(message.parts);
    const { opcode: kind } = message;
    message = null;
    if (kind === opcodes.text) listener.onText(whole.toString("utf8"));
    else listener.onBytes(whole);
  }

  function read(chunk: Buffer): void {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (!isOver) {
      const frame = parseFrame(unread);
      if (frame === null) return;
      if (frame === "too large") {
        close(tooLarge);
        return;
      }
      unread = unread.subarray(frame.length);
      take(frame);
    }
  }

  const socket: ServerSocket = {
    sendText: (text) => write(opcodes.text, Buffer.from(text)),
    sendBytes: (bytes) => write(opcodes.bytes, bytes),
    close,
  };
  const listener = listen(socket);
  connection.on("error", () => connection.destroy());
  connection.on("data", read);
  connection.once("end", () => connection.end());
  connection.once("close", () => {
    isOver = true;
    listener.onClose();
  });
  if (head.length > 0) read(head);
  return socket;
}

/** The first frame of a client, which is masked; null while it is incomplete. */
function parseFrame(bytes: Buffer): Frame | "too large" | null {
  if (bytes.length < 2) return null;
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskAt = 2 + lengthBytes;
  const isMasked = (second & 0x80) !== 0;
  const at = maskAt + (isMasked ? 4 : 0);
  if (bytes.length < at) return null;
  const size = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (size > messageBytesMax) return "too large";
  if (bytes.length < at + size) return null;
  const payload = Buffer.from(bytes.subarray(at, at + size));
  if (isMasked) {
    const mask = bytes.subarray(maskAt, at);
    for (let place = 0; place < size; place++) payload[place] = (payload[place] ?? 0) ^ (mask[place % 4] ?? 0);
  }
  return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, payload, length: at + size };
}

function toHeader(opcode: number, size: number): Buffer {
  const header = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  header[0] = 0x80 | opcode;
  header[1] = size < 126 ? size : size < 65_536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(size, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(size), 2);
  return header;
}
