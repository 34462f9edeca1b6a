// A WebSocket client that can use any host name, unlike Node's. It implements the part of the
// protocol that short messages need.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import type { Duplex } from "node:stream";

export interface OpenedSocket {
  /** The negotiated subprotocol. */
  protocol: string | undefined;
  /** All text messages so far. */
  received: string[];
  /** All binary messages so far. */
  receivedBytes: Buffer[];
  /** The server's close frame; code 1006 if there was none. */
  closed: Promise<{ code: number; reason: string }>;
  send(message: string | Buffer): void;
  close(code?: number): void;
  /** Closes the connection without a close frame. */
  cutOff(): void;
}

const opcodes = { text: 0x1, bytes: 0x2, close: 0x8 };

/** Opens a WebSocket. Returns the HTTP status if the server refuses the upgrade. */
export function openSocket(
  baseUrl: string,
  path: string,
  headers: Record<string, string>,
): Promise<OpenedSocket | number> {
  const { port } = new URL(baseUrl);
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers: { ...headers, ...upgrade } });
    sent.once("error", reject);
    sent.once("upgrade", (answer, socket, head) => {
      resolve({ protocol: answer.headers["sec-websocket-protocol"], ...openFrames(socket, head) });
    });
    sent.once("response", (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.end();
  });
}

function openFrames(socket: Duplex, head: Buffer): Omit<OpenedSocket, "protocol"> {
  const received: string[] = [];
  const receivedBytes: Buffer[] = [];
  let unread = Buffer.alloc(0);
  let end = { code: 1006, reason: "" };
  const closed = new Promise<typeof end>((resolve) => socket.once("close", () => resolve(end)));
  const read = (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    for (let next = parseFrame(unread); next !== null; next = parseFrame(unread)) {
      const { opcode, payload, length } = next;
      unread = unread.subarray(length);
      if (opcode === opcodes.text) received.push(payload.toString("utf8"));
      else if (opcode === opcodes.bytes) receivedBytes.push(Buffer.from(payload));
      else if (opcode === opcodes.close) {
        end = { code: payload.length < 2 ? 1005 : payload.readUInt16BE(0), reason: payload.toString("utf8", 2) };
        socket.end(frame(opcodes.close, payload));
      }
    }
  };
  socket.on("data", read);
  socket.on("error", () => socket.destroy());
  read(head);
  return {
    received,
    receivedBytes,
    closed,
    send: (message) =>
      void socket.write(frame(typeof message === "string" ? opcodes.text : opcodes.bytes, Buffer.from(message))),
    close(code = 1000) {
      const payload = Buffer.alloc(2);
      payload.writeUInt16BE(code);
      socket.end(frame(opcodes.close, payload));
    },
    cutOff: () => void socket.destroy(),
  };
}

/** Parses the first frame of a server, which is not masked; null while it is incomplete. */
function parseFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const at = short === 126 ? 4 : 2;
  if (bytes.length < at) return null;
  const length = at + (short === 126 ? bytes.readUInt16BE(2) : short);
  if (bytes.length < length) return null;
  return { opcode: (bytes[0] ?? 0) & 0x0f, payload: bytes.subarray(at, length), length };
}

function frame(opcode: number, payload: Buffer): Buffer {
  const mask = randomBytes(4);
  const masked = payload.map((byte, place) => byte ^ (mask[place % 4] ?? 0));
  const size = Buffer.alloc(payload.length < 126 ? 2 : 4);
  size[0] = 0x80 | opcode;
  size[1] = 0x80 | Math.min(payload.length, 126);
  if (payload.length >= 126) size.writeUInt16BE(payload.length, 2);
  return Buffer.concat([size, mask, masked]);
}
